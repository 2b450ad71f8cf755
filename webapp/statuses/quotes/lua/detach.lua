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

local refusal = require_author(status, uid, id)
if refusal then return refusal end
if redis.call('ZSCORE', detached, quote_id) then return 0 end
if redis.call('ZCARD', detached) >= tonumber(limit) then
  return redis.error_reply('DETACHEDFULL ' .. limit)
end
refusal = behind()
if refusal then return refusal end

redis.call('ZADD', detached, id_text(now_ms()), quote_id)
emit('quote_detached', 'author', uid, 'id', id, 'quote_id', quote_id)
return 1
