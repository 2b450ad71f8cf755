-- Change what a group says of itself, and how its members vote, as an owner.
--
-- KEYS     group    statuses.visibility.group(gid)
--          owners   statuses.visibility.group_owners(gid)
-- ARGV     gid
--          uid
--          fields...   names and values
-- RETURNS  1
-- ERRORS   NOGROUP, ONLYGROUPOWNERS
-- WRITES   group
-- include community/groups/lua/includes/group.lua

local refusal = require_owner(group, owners, uid)
if refusal then return refusal end
redis.call('HSET', group, unpack(fields))
return 1
