-- Unpin a member's own status, and emit `unpinned`.
--
-- KEYS     pinned      zset: status id -> unix ms
--          status
--          outbox      stream
-- ARGV     uid
--          id
--          partition
--          outbox_max  events
--          request_id
-- RETURNS  1, or 0 if it was not pinned
-- ERRORS   OVERLOADED
-- WRITES   all keys
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', pinned, id) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', pinned, id)
redis.call('HDEL', status, 'pinned')
emit(outbox, partition, 'type', 'unpinned', 'rid', request_id, 'uid', uid, 'id', id)
return 1
