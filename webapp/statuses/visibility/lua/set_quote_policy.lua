-- Set who may quote a member's own status. No event: no cached page shows it.
--
-- KEYS     status   statuses.status(id)
-- ARGV     policy   as in the status's field `quote_policy`; '' for everybody
-- ERRORS   NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED

local author, visibility = unpack(redis.call('HMGET', status, 'author', 'visibility'))
require_own(uid, id, author, visibility, member)
require_active()
store_field(status, 'quote_policy', policy)
return 1
