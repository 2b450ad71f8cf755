-- Purpose: make a list, and tell the worker: it shows on pages of its owner.
-- KEYS: 1 = keys.user  2 = keys.lists  3 = keys.list_prefix  4 = keys.outbox   (of its owner)
-- ARGV: 1 = uid  2 = name  3 = 1 for a private one, or ''  4 = 1 for an exclusive one, or ''  5 = LISTS_MAX  6 = partition
--       7 = OUTBOX_MAX  8 = rid
-- Returns: its number   Errors: NOMEMBER, SUSPENDED, LISTSFULL, LISTNAMED, OVERLOADED
-- Writes: KEYS 1, 2, 4, and a list below KEYS[3]
-- include core/events/lua/includes/emit.lua
-- include lists/lua/includes/name_taken.lua
local user, lists, list_of, outbox = unpack(KEYS)
local uid, name, private, exclusive, most, partition, max, rid = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if named(uid, lists, list_of, name) then return redis.error_reply('LISTNAMED ' .. uid) end
if redis.call('ZCARD', lists) >= tonumber(most) then return redis.error_reply('LISTSFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local number = redis.call('HINCRBY', user, 'lists', 1)
local list = list_of .. uid .. ':' .. number
redis.call('ZADD', lists, number, number)
redis.call('HSET', list, 'name', name)
if private ~= '' then redis.call('HSET', list, 'private', private) end
if exclusive ~= '' then redis.call('HSET', list, 'exclusive', exclusive) end
emit(outbox, partition, 'type', 'list_made', 'rid', rid, 'uid', uid, 'list', number)
return number
