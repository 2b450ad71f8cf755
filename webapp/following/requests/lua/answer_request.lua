-- Purpose: answer a request to follow, once; the worker tells who asked.
-- KEYS: 1 = keys.requests  2 = keys.outbox   (of who is asked)
-- ARGV: 1 = uid  2 = the asker's uid  3 = 1 to accept, 0 to refuse  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when nobody asks (any more)   Errors: OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local requests, outbox = KEYS[1], KEYS[2]
local uid, asker, accepts, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', requests, asker) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', requests, asker)
emit(outbox, partition, 'type', accepts == '1' and 'accepted' or 'refused', 'rid', rid, 'uid', uid, 'target', asker)
return 1
