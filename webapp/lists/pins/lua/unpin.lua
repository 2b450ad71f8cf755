-- Unpin a list from its owner's home, if it is pinned.
--
-- KEYS     tabs   timelines.home_tabs(uid)
-- ARGV     number
-- RETURNS  1
-- WRITES   tabs
-- include lists/lua/includes/find_tab.lua

redis.call('ZREM', tabs, find_tab(tabs, number) or '')
return 1
