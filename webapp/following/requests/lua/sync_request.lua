-- Bring a member's list of follow requests up to date with a requester's own list.
--
-- KEYS     requests   following.follow_requests(target)
--          member     accounts.user(target)
--          blocks     following.blocks(target)
-- ARGV     uid          who requested
--          is_pending   1 if the request is still pending, else 0
--          limit        most requests to one member
-- RETURNS  1 if the list is up to date; 0 if the request is invalid: the account is deleted or
--          suspended, blocks the requester, or has too many requests; 2 if the member is public,
--          so that the request can be granted
-- WRITES   requests
-- FENCED

local INVALID, UP_TO_DATE, GRANTABLE = 0, 1, 2
if is_pending == '0' then
  redis.call('ZREM', requests, uid)
  return UP_TO_DATE
end
if redis.call('ZSCORE', requests, uid) then return UP_TO_DATE end

if not is_active_member() or redis.call('ZSCORE', blocks, uid) then return INVALID end
if redis.call('HEXISTS', member, 'protected') == 0 then return GRANTABLE end
if redis.call('ZCARD', requests) >= tonumber(limit) then return INVALID end
redis.call('ZADD', requests, next_score(requests, now_ms()), uid)
return UP_TO_DATE
