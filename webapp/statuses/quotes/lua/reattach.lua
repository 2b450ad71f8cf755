-- Show a member's own status in a quote again, and emit `quote_reattached`.
--
-- KEYS     status     statuses.status(id)
--          detached   statuses.quotes.detached_quotes(id)
-- ARGV     uid
--          quote_id
-- RETURNS  1, or 0 if it was not detached
-- ERRORS   NOSTATUS, NOTYOURS
-- WRITES   detached
-- EMITS    quote_reattached

require_author(status, uid, id)
if not redis.call('ZSCORE', detached, quote_id) then return 0 end
refuse_when_behind()

redis.call('ZREM', detached, quote_id)
emit('quote_reattached', 'author', uid, 'id', id, 'quote_id', quote_id)
return 1
