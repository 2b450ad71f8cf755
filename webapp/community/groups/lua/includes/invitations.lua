-- Invitations to a group: links, under the hash of their secrets, and members, under `@uid`. Needs
-- chat/members/lua/includes/invites.lua.
--
-- KEYS     group         statuses.visibility.group(gid)
--          owners        statuses.visibility.group_owners(gid)
--          invitations   community.groups.group_invitations(gid)
-- WRITES   invitations

-- Return true if a member may let others in: an owner, or any member of an open group.
local function may_invite(members, uid)
  if redis.call('SISMEMBER', owners, uid) == 1 then return true end
  return redis.call('HGET', group, 'kind') == 'open' and redis.call('ZSCORE', members, uid)
end

-- End the invitation of a member by name, if there is one. Needs EMITS group_invited.
local function end_invitation(uid)
  local _, _, inviter = parse_invite(redis.call('HGET', invitations, '@' .. uid))
  if not inviter then return end
  redis.call('HDEL', invitations, '@' .. uid)
  emit('group_invited', 'group', gid, 'by', inviter, 'uids', uid)
end
