-- Change the name of a list, who may see it, and whether its members stay out of home. '' keeps.
--
-- KEYS     tabs             timelines.home_tabs(uid)
-- ARGV     number
--          name
--          private     1, or 0 for a public list
--          exclusive   1 or 0
-- ERRORS   NOLIST, LISTNAMED
-- WRITES   list_prefix, excluded, tabs
-- EMITS    list_changed

local list = list_prefix .. uid .. ':' .. number
if redis.call('EXISTS', list) == 0 then refuse('NOLIST', number) end
if name == '' then name = redis.call('HGET', list, 'name') end
if name_taken(uid, lists, list_prefix, name, number) then refuse('LISTNAMED', uid) end
refuse_when_behind()

local stays_private = private ~= '0' and redis.call('HEXISTS', list, 'private') == 1
redis.call('HSET', list, 'name', name)
for field, value in pairs({private = private, exclusive = exclusive}) do
  if value == '0' then redis.call('HDEL', list, field)
  elseif value ~= '' then redis.call('HSET', list, field, value) end
end
local tab = find_tab(tabs, number)
if tab then
  local place = redis.call('ZSCORE', tabs, tab)
  redis.call('ZREM', tabs, tab)
  redis.call('ZADD', tabs, place, number .. ':' .. name)
end
store_excluded()
emit('list_changed', 'uid', uid, 'list', number, 'private', stays_private and 1 or '')
return 1
