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

local refusal = require_active()
if refusal then return refusal end
if name_taken(uid, lists, list_prefix, name) then return redis.error_reply('LISTNAMED ' .. uid) end
if redis.call('ZCARD', lists) >= tonumber(lists_max) then
  return redis.error_reply('LISTSFULL ' .. lists_max)
end
refusal = behind()
if refusal then return refusal end

local number = redis.call('HINCRBY', member, 'lists', 1)
local list = list_prefix .. uid .. ':' .. number
redis.call('ZADD', lists, number, number)
redis.call('HSET', list, 'name', name)
if private ~= '' then redis.call('HSET', list, 'private', private) end
if exclusive ~= '' then redis.call('HSET', list, 'exclusive', exclusive) end
emit('list_created', 'uid', uid, 'list', number, 'private', private)
return number
