-- The end of a group.

-- Remove all that a group has, and emit that. `group`: its hash. Its members' own lists are brought
-- up to date from `leaving`. Needs EMITS in the header.
local function close_group(gid, group, members, leaving, others)
  local slug = redis.call('HGET', group, 'slug')
  if redis.call('EXISTS', members) == 1 then redis.call('RENAME', members, leaving) end
  redis.call('UNLINK', group, unpack(others))
  emit('group_closed', 'group', gid, 'slug', slug)
end
