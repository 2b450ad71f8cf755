-- Change the name of a list, who may see it, and whether its members stay out of home.
--
-- KEYS     lists            zset: number -> number
--          list_prefix      the beginning of the keys of lists in the owner's partition
--          members_prefix   the same of their members
--          excluded         zset: members of the owner's exclusive lists
--          outbox           stream
-- ARGV     uid
--          number
--          name
--          private          1, or '' for a public list
--          exclusive        1, or ''
--          partition
--          outbox_max
--          request_id
-- RETURNS  1
-- ERRORS   NOLIST, LISTNAMED, OVERLOADED
-- WRITES   excluded, outbox, the list
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include lists/lua/includes/name_taken.lua
-- include lists/lua/includes/touch_list.lua

local list = list_prefix .. uid .. ':' .. number
if redis.call('EXISTS', list) == 0 then return redis.error_reply('NOLIST ' .. number) end
if name_taken(uid, lists, list_prefix, name, number) then
  return redis.error_reply('LISTNAMED ' .. uid)
end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

local stays_private = private ~= '' and redis.call('HEXISTS', list, 'private') == 1
redis.call('DEL', list)
redis.call('HSET', list, 'name', name)
if private ~= '' then redis.call('HSET', list, 'private', private) end
if exclusive ~= '' then redis.call('HSET', list, 'exclusive', exclusive) end
store_excluded(uid, excluded, lists, list_prefix, members_prefix)
emit(outbox, partition, 'type', 'list_changed', 'rid', request_id, 'uid', uid, 'list', number,
  'private', stays_private and 1 or '')
return 1
