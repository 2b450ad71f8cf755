-- Show a member's own status in a quote again, and emit `quote_reattached`.
--
-- KEYS     status
--          detached    zset: quote id -> unix ms
--          outbox      stream
-- ARGV     uid
--          id
--          quote_id
--          partition
--          outbox_max  events
--          request_id
-- RETURNS  1, or 0 if it was not detached
-- ERRORS   NOSTATUS, NOTYOURS, OVERLOADED
-- WRITES   detached, outbox
-- include core/events/lua/includes/emit.lua
-- include statuses/quotes/lua/includes/require_author.lua

local refusal = require_author(status, uid, id)
if refusal then return refusal end
if not redis.call('ZSCORE', detached, quote_id) then return 0 end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', detached, quote_id)
emit(outbox, partition, 'type', 'quote_reattached', 'rid', request_id, 'author', uid, 'id', id,
  'quote_id', quote_id)
return 1
