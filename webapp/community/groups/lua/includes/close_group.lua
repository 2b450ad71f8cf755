-- The end of a group.
-- include community/groups/lua/includes/chat_members.lua

-- Remove all that a group has, and emit that. `group`: its hash. `chat`: the keys of its chat, nil
-- without one. Its members' own lists are brought up to date from `leaving`. Needs EMITS.
local function close_group(gid, group, members, leaving, others, chat)
  local slug = redis.call('HGET', group, 'slug')
  if redis.call('EXISTS', members) == 1 then redis.call('RENAME', members, leaving) end
  end_chat(chat)
  redis.call('UNLINK', group, unpack(others))
  emit('group_closed', 'group', gid, 'slug', slug)
end
