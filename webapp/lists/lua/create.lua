-- Create a list, and emit that its owner's pages change.
--
-- KEYS     member         accounts.user(uid)
--          lists         lists.lists(uid)
--          list_prefix   lists.list_.prefix(uid)
-- ARGV     name
--          private     1, or '' for a public list
--          exclusive   1, or ''
--          lists_max   config.lists_max   most lists of a member
-- RETURNS  its number
-- ERRORS   NOMEMBER, SUSPENDED, LISTSFULL, LISTNAMED
-- EMITS    list_created

require_active()
if name_taken(uid, lists, list_prefix, name) then refuse('LISTNAMED', uid) end
if redis.call('ZCARD', lists) >= tonumber(lists_max) then refuse('LISTSFULL', lists_max) end
refuse_when_behind()

local number = redis.call('HINCRBY', member, 'lists', 1)
local list = list_prefix .. uid .. ':' .. number
redis.call('ZADD', lists, number, number)
redis.call('HSET', list, 'name', name)
if private ~= '' then redis.call('HSET', list, 'private', private) end
if exclusive ~= '' then redis.call('HSET', list, 'exclusive', exclusive) end
emit('list_created', 'uid', uid, 'list', number, 'private', private)
return number
