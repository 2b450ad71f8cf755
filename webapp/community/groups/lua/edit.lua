-- Change what a group says of itself, its picture, and how its members vote, as an owner.
--
-- KEYS     group    statuses.visibility.group(gid)
--          owners   statuses.visibility.group_owners(gid)
-- ARGV     gid
--          uid
--          fields...   names and values
-- RETURNS  1
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, OVERLOADED
-- WRITES   group
-- EMITS    group_edited
-- include community/groups/lua/includes/group.lua

local refusal = require_owner(group, owners, uid) or behind()
if refusal then return refusal end
local old_picture = redis.call('HGET', group, 'picture') or ''
redis.call('HSET', group, unpack(fields))
local replaced = old_picture ~= redis.call('HGET', group, 'picture') and old_picture or ''
emit('group_edited', 'group', gid, 'replaced', replaced)
return 1
