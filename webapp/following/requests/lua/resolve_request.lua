-- End a request to follow. A granted one becomes a follow, unless it was taken back or the
-- requester may not follow.
--
-- KEYS     blocks      following.blocks(uid)
--          blockers    following.blockers(uid)
-- ARGV     uid             who requested
--          target          whom they want to follow
--          granted         1 or 0
--          following_max
-- RETURNS  1, or 0 if there was no request
-- WRITES   requested, following
-- EMITS    unrequested, followed
-- FENCED

if not redis.call('ZSCORE', requested, target) then return 0 end

local is_blocked = redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target)
local is_full = redis.call('ZCARD', following) >= tonumber(following_max)
local may_follow = is_active_member() and not is_blocked and not is_full
  and not redis.call('ZSCORE', following, target)
-- A full outbox does not matter here: the event that causes this could wait for itself.
if granted == '1' and may_follow then
  begin_follow(target)
else
  end_request(target)
end
return 1
