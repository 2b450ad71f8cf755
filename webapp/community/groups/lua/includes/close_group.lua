-- The end of a group.
--
-- KEYS     group         statuses.visibility.group(gid)
--          owners        statuses.visibility.group_owners(gid)
--          members       statuses.visibility.group_members(gid)
--          requests      community.groups.group_requests(gid)
--          banned        community.groups.group_banned(gid)
--          posts         statuses.visibility.group_posts(gid)
--          votes         community.groups.group_votes(gid)
--          top           community.groups.group_top(gid)
--          pinned        community.groups.group_pinned(gid)
--          removed       community.groups.group_removed(gid)
--          invitations   community.groups.group_invitations(gid)
--          leaving       community.groups.group_leaving(gid)

-- Remove all that a group has, and emit that. Its members' own lists are brought up to date from
-- `leaving`. Needs EMITS.
local function close_group()
  local slug = redis.call('HGET', group, 'slug')
  redis.call('ZUNIONSTORE', leaving, 2, leaving, members) -- it may be closed for the second time
  end_chat(chat_of())
  redis.call('UNLINK', group, owners, members, requests, banned, posts, votes, top, pinned, removed,
    invitations)
  emit('group_closed', 'group', gid, 'slug', slug)
end
