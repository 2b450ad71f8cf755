-- Bring a list of followers up to date with a follower's own list. A protected member's list takes
-- only followers they accepted; those on it when the member became protected stay.
-- The lists that others put a member on are brought up to date by it too.
--
-- KEYS     followers   zset: uid -> unix us, unique in the list
--          member      accounts.user(target)
-- ARGV     uid             the follower
--          followed_at     unix us; '' if they do not follow
--          is_event        1 if the event is about the current follow
--          was_requested   1 if the follow was requested
-- RETURNS  how many followers there are; -1 if the account is deleted; -2 if the follow needs a
--          request
-- WRITES   followers
-- FENCED

local DELETED, REQUEST_NEEDED = -1, -2
local login, protected = unpack(redis.call('HMGET', member, 'login', 'protected'))
if followed_at == '' then
  redis.call('ZREM', followers, uid)
  return redis.call('ZCARD', followers)
end
if not login then return DELETED end

if not redis.call('ZSCORE', followers, uid) then
  if protected and is_event == '1' and was_requested ~= '1' then return REQUEST_NEEDED end
  -- A protected member's list waits for the event of the current follow.
  if not protected or is_event == '1' then
    redis.call('ZADD', followers, next_score(followers, tonumber(followed_at)), uid)
  end
end
return redis.call('ZCARD', followers)
