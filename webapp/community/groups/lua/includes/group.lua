-- Check that a group exists, and the rights of a member in it.
--
-- KEYS     group   statuses.visibility.group(gid)
-- WRITES   nothing

local function require_existing_group()
  if redis.call('HEXISTS', group, 'kind') == 0 then refuse('NOGROUP', group) end
end

local function require_group_owner(owners, uid)
  require_existing_group()
  if redis.call('SISMEMBER', owners, uid) == 0 then refuse('ONLYGROUPOWNERS', group) end
end

local function require_room(members, members_max)
  if redis.call('ZCARD', members) >= tonumber(members_max) then refuse('GROUPFULL', group) end
end
