-- Delete a list, and emit who was on it. Members of an exclusive list come back into home.
--
-- KEYS     home_prefix      lists.list_home.prefix(uid)
--          active           lists.active_lists(uid)
--          tabs             timelines.home_tabs(uid)
-- ARGV     number
-- ERRORS   NOLIST
-- WRITES   lists, list_prefix, members_prefix, home_prefix, active, tabs
-- EMITS    list_deleted

local name = uid .. ':' .. number
if not redis.call('ZSCORE', lists, number) then refuse('NOLIST', number) end
refuse_when_behind()

local members = table.concat(redis.call('ZRANGE', members_prefix .. name, 0, -1), ' ')
local private = redis.call('HGET', list_prefix .. name, 'private') or ''
redis.call('ZREM', lists, number)
redis.call('ZREM', active, name)
redis.call('ZREM', tabs, find_tab(tabs, number) or '')
redis.call('UNLINK', list_prefix .. name, members_prefix .. name, home_prefix .. name)
store_excluded()
emit('list_deleted', 'uid', uid, 'list', number, 'members', members, 'private', private)
return 1
