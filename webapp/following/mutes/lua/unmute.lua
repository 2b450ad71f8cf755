-- Purpose: unmute a member, and tell the worker.
-- KEYS: 1 = keys.mutes  2 = keys.hushed  3 = keys.outbox   (of who mutes)
-- ARGV: 1 = uid  2 = uid to unmute  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when they were not muted   Errors: OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local mutes, hushed, outbox = unpack(KEYS)
local uid, target, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', mutes, target) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', mutes, target)
redis.call('ZREM', hushed, target)
emit(outbox, partition, 'type', 'unmuted', 'rid', rid, 'uid', uid)
return 1
