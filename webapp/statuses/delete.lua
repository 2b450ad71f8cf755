-- Purpose: delete one's own status with its likes, and tell the worker.
-- KEYS: 1 = keys.status  2 = keys.profile  3 = keys.home (both the asking member's)  4 = keys.outbox  5 = keys.likes
-- ARGV: 1 = uid  2 = id  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1   Errors: NOSTATUS, NOTYOURS, OVERLOADED   Writes: all keys
-- include events.lua
-- include statuses/mentions.lua
local status, profile, home, outbox, likes = unpack(KEYS)
local uid, id, partition, max, rid = unpack(ARGV)
local author, entities = unpack(redis.call('HMGET', status, 'author', 'entities'))
if not author then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('DEL', status)
redis.call('UNLINK', likes)
redis.call('ZREM', profile, id)
redis.call('ZREM', home, id .. ':' .. uid)
emit(outbox, partition, 'type', 'deleted', 'rid', rid, 'id', id, 'author', uid, mentioned(entities))
return 1
