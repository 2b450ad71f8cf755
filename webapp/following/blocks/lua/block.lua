-- Block a member, and end the blocker's own follow of them and request to follow them. The worker
-- ends theirs. Doing it again changes nothing.
--
-- KEYS     blocks          following.blocks(uid)
-- ARGV     target   whom to block
--          limit    config.blocks_max   most blocks of one member
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER, SUSPENDED, BLOCKSFULL
-- EMITS    unfollowed, unsubscribed, unrequested, blocked

local refusal = require_active()
if refusal then return refusal end
if redis.call('ZSCORE', blocks, target) then return 0 end
if redis.call('ZCARD', blocks) >= tonumber(limit) then
  return redis.error_reply('BLOCKSFULL ' .. limit)
end
refusal = behind()
if refusal then return refusal end

redis.call('ZADD', blocks, next_score(blocks, now_ms()), target)
end_follow(target)
end_request(target)
emit('blocked', 'uid', uid, 'target', target)
return 1
