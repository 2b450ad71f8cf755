-- Purpose: follow a hashtag no more, and tell the worker, so that open streams cease to bring it.
-- KEYS: 1 = keys.followed_tags  2 = keys.outbox   ARGV: 1 = uid  2 = name  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when that is so already   Errors: OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local tags, outbox = KEYS[1], KEYS[2]
local uid, name, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', tags, name) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', tags, name)
emit(outbox, partition, 'type', 'retagged', 'rid', rid, 'uid', uid)
return 1
