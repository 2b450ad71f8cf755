-- Purpose: protect a member, whose statuses are then for accepted followers, or make them public again; tell the worker.
-- KEYS: 1 = keys.user  2 = keys.outbox   ARGV: 1 = uid  2 = 1 to protect, 0 to make public  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local user, outbox = KEYS[1], KEYS[2]
local uid, wanted, partition, max, rid = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended', 'protected')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if (member[3] and '1' or '0') == wanted then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
if wanted == '1' then redis.call('HSET', user, 'protected', 1) else redis.call('HDEL', user, 'protected') end
emit(outbox, partition, 'type', wanted == '1' and 'protected' or 'unprotected', 'rid', rid, 'uid', uid)
return 1
