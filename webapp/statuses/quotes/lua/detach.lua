-- Take a member's own status out of another's quote, and emit `quote_detached`.
--
-- KEYS     status     statuses.status(id)
--          detached   statuses.quotes.detached_quotes(id)
-- ARGV     uid
--          quote_id
--          limit      config.detached_max   most detached quotes of one status
-- RETURNS  1, or 0 if it was detached already
-- ERRORS   NOSTATUS, NOTYOURS, DETACHEDFULL
-- WRITES   detached
-- EMITS    quote_detached

require_author(status, uid, id)
if redis.call('ZSCORE', detached, quote_id) then return 0 end
if redis.call('ZCARD', detached) >= tonumber(limit) then refuse('DETACHEDFULL', limit) end
refuse_when_behind()

redis.call('ZADD', detached, id_text(now_ms()), quote_id)
emit('quote_detached', 'author', uid, 'id', id, 'quote_id', quote_id)
return 1
