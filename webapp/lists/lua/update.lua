-- Change the name of a list, who may see it, and whether its members stay out of home.
--
-- KEYS     tabs             timelines.home_tabs(uid)
-- ARGV     number
--          name
--          private     1, or '' for a public list
--          exclusive   1, or ''
-- ERRORS   NOLIST, LISTNAMED
-- WRITES   list_prefix, excluded, tabs
-- EMITS    list_changed

local list = list_prefix .. uid .. ':' .. number
if redis.call('EXISTS', list) == 0 then refuse('NOLIST', number) end
if name_taken(uid, lists, list_prefix, name, number) then refuse('LISTNAMED', uid) end
refuse_when_behind()

local stays_private = private ~= '' and redis.call('HEXISTS', list, 'private') == 1
redis.call('DEL', list)
redis.call('HSET', list, 'name', name)
if private ~= '' then redis.call('HSET', list, 'private', private) end
if exclusive ~= '' then redis.call('HSET', list, 'exclusive', exclusive) end
local tab = find_tab(tabs, number)
if tab then
  local place = redis.call('ZSCORE', tabs, tab)
  redis.call('ZREM', tabs, tab)
  redis.call('ZADD', tabs, place, number .. ':' .. name)
end
store_excluded()
emit('list_changed', 'uid', uid, 'list', number, 'private', stays_private and 1 or '')
return 1
