-- Purpose: give a list another name, or open or close it, or let its members into home or keep them out; tell the worker.
-- KEYS: 1 = keys.lists  2 = keys.list_prefix  3 = keys.list_members_prefix  4 = keys.aside  5 = keys.outbox   (of its owner)
-- ARGV: 1 = uid  2 = number  3 = name  4 = 1 for a private one, or ''  5 = 1 for an exclusive one, or ''  6 = partition
--       7 = OUTBOX_MAX  8 = rid
-- Returns: 1   Errors: NOLIST, LISTNAMED, OVERLOADED   Writes: KEYS 4, 5, and the list below KEYS[2]
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include lists/lua/includes/name_taken.lua
-- include lists/lua/includes/touch_list.lua
local lists, list_of, members_of, aside, outbox = unpack(KEYS)
local uid, number, name, private, exclusive, partition, max, rid = unpack(ARGV)
local list = list_of .. uid .. ':' .. number
if redis.call('EXISTS', list) == 0 then return redis.error_reply('NOLIST ' .. number) end
if named(uid, lists, list_of, name, number) then return redis.error_reply('LISTNAMED ' .. uid) end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('DEL', list)
redis.call('HSET', list, 'name', name)
if private ~= '' then redis.call('HSET', list, 'private', private) end
if exclusive ~= '' then redis.call('HSET', list, 'exclusive', exclusive) end
set_aside(uid, aside, lists, list_of, members_of)
emit(outbox, partition, 'type', 'list_changed', 'rid', rid, 'uid', uid, 'list', number)
return 1
