-- Follow a member, or request to follow a protected one. Doing it again changes nothing.
--
-- KEYS     blocks      following.blocks(uid)
--          blockers    following.blockers(uid)
-- ARGV     target          whom to follow
--          following_max   config.following_max
--          requests_max   config.requests_max
--          by_request      1 if the target is protected
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER, SUSPENDED, BLOCKED, FOLLOWINGFULL, REQUESTEDFULL
-- WRITES   following, requested
-- EMITS    requested, followed
-- IDEMPOTENT

require_active()
local is_request = by_request == '1'
if redis.call('ZSCORE', following, target) then return 0 end
if is_request and redis.call('ZSCORE', requested, target) then return 0 end
if redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target) then
  refuse('BLOCKED', target)
end
if redis.call('ZCARD', following) >= tonumber(following_max) then
  refuse('FOLLOWINGFULL', following_max)
end
if is_request and redis.call('ZCARD', requested) >= tonumber(requests_max) then
  refuse('REQUESTEDFULL', requests_max)
end
refuse_when_behind()

if is_request then
  request_follow(target)
else
  begin_follow(target)
end
return 1
