-- Delete a list, and emit who was on it. Members of an exclusive list come back into home.
--
-- KEYS     lists            zset: number -> number
--          list_prefix      the beginning of the keys of lists in the owner's partition
--          members_prefix   the same of their members
--          home_prefix      the same of their timelines
--          active           zset: `uid:number` -> last read
--          excluded         zset: members of the owner's exclusive lists
--          outbox           stream
-- ARGV     uid
--          number
--          partition
--          outbox_max
--          request_id
-- RETURNS  1
-- ERRORS   NOLIST, OVERLOADED
-- WRITES   lists, active, excluded, outbox, the list, its members and its timeline
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include lists/lua/includes/touch_list.lua

local name = uid .. ':' .. number
if not redis.call('ZSCORE', lists, number) then return redis.error_reply('NOLIST ' .. number) end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

local members = table.concat(redis.call('ZRANGE', members_prefix .. name, 0, -1), ' ')
local private = redis.call('HGET', list_prefix .. name, 'private') or ''
redis.call('ZREM', lists, number)
redis.call('ZREM', active, name)
redis.call('UNLINK', list_prefix .. name, members_prefix .. name, home_prefix .. name)
store_excluded(uid, excluded, lists, list_prefix, members_prefix)
emit(outbox, partition, 'type', 'list_deleted', 'rid', request_id, 'uid', uid, 'list', number,
  'members', members, 'private', private)
return 1
