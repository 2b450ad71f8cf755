-- Purpose: unpin one's own status, and tell the worker.
-- KEYS: 1 = keys.pinned  2 = keys.status  3 = keys.outbox   ARGV: 1 = uid  2 = id  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when it was not pinned   Errors: OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local pinned, status, outbox = unpack(KEYS)
local uid, id, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', pinned, id) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', pinned, id)
redis.call('HDEL', status, 'pinned')
emit(outbox, partition, 'type', 'unpinned', 'rid', rid, 'uid', uid, 'id', id)
return 1
