-- Put a list at a place among the tabs of its owner's home, or take it away from there.
--
-- KEYS     list_prefix   lists.list_.prefix(uid)
--          tabs          timelines.home_tabs(uid)
-- ARGV     number
--          place   from 0; beyond the last: at the end; -1: none
--          limit   most pinned lists
-- ERRORS   NOLIST, PINNEDLISTSFULL
-- WRITES   tabs

local name = redis.call('HGET', list_prefix .. uid .. ':' .. number, 'name')
if not name then refuse('NOLIST', number) end
local tab = find_tab(tabs, number)
if not tab and redis.call('ZCARD', tabs) >= tonumber(limit) then refuse('PINNEDLISTSFULL') end
if tab then redis.call('ZREM', tabs, tab) end
local entries = redis.call('ZRANGE', tabs, 0, -1)
place = math.min(tonumber(place), #entries)
if place >= 0 then table.insert(entries, place + 1, number .. ':' .. name) end
for index, entry in ipairs(entries) do redis.call('ZADD', tabs, index, entry) end
return 1
