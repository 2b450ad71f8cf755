-- Purpose: delete a list, and tell the worker who was on it. Its members come back into home, where it kept them out.
-- KEYS: 1 = keys.lists  2 = keys.list_prefix  3 = keys.list_members_prefix  4 = keys.list_home_prefix  5 = keys.active_lists
--       6 = keys.aside  7 = keys.outbox   (of its owner)
-- ARGV: 1 = uid  2 = number  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1   Errors: NOLIST, OVERLOADED   Writes: KEYS 1, 5 to 7, and the list below KEYS 2 to 4
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include lists/lua/includes/touch_list.lua
local lists, list_of, members_of, home_of, active, aside, outbox = unpack(KEYS)
local uid, number, partition, max, rid = unpack(ARGV)
local name = uid .. ':' .. number
if not redis.call('ZSCORE', lists, number) then return redis.error_reply('NOLIST ' .. number) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local members = table.concat(redis.call('ZRANGE', members_of .. name, 0, -1), ' ')
redis.call('ZREM', lists, number)
redis.call('ZREM', active, name)
redis.call('UNLINK', list_of .. name, members_of .. name, home_of .. name)
set_aside(uid, aside, lists, list_of, members_of)
emit(outbox, partition, 'type', 'list_gone', 'rid', rid, 'uid', uid, 'list', number, 'members', members)
return 1
