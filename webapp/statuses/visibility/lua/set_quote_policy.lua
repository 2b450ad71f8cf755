-- Set who may quote a member's own status. No event: no cached page shows it.
--
-- KEYS     status   statuses.status(id)
-- ARGV     policy   as in the status's field `quote_policy`; '' for everybody
-- ERRORS   NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED

local author, visibility = unpack(redis.call('HMGET', status, 'author', 'visibility'))
local refusal = require_own(uid, id, author, visibility, member) or require_active()
if refusal then return refusal end
if policy == '' then
  redis.call('HDEL', status, 'quote_policy')
else
  redis.call('HSET', status, 'quote_policy', policy)
end
return 1
