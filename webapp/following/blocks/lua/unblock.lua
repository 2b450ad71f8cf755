-- Purpose: unblock a member, and tell the worker. Follows that the block ended do not come back.
-- KEYS: 1 = keys.blocks  2 = keys.outbox   (of the blocker)
-- ARGV: 1 = uid  2 = uid to unblock  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when they were not blocked   Errors: OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local blocks, outbox = unpack(KEYS)
local uid, target, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', blocks, target) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', blocks, target)
emit(outbox, partition, 'type', 'unblocked', 'rid', rid, 'uid', uid, 'target', target)
return 1
