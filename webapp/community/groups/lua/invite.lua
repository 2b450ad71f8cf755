-- Invite members to a group by name, or anybody with a link. Members of the group and those who are
-- invited already are left out. Invitations that have ended go. So does one by a member who may no
-- longer invite, if a new one replaces it.
--
-- KEYS     members       statuses.visibility.group_members(gid)
--          banned        community.groups.group_banned(gid)
-- ARGV     uid          who invites
--          uses         of each
--          lifetime     ms
--          own_max      invitations of one member
--          all_max      invitations of the group
--          targets...   `@uid` of a member, or the SHA-256 of a link's secret
-- RETURNS  how many are new
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, GROUPINVITEBANNED, GROUPINVITESFULL
-- WRITES   invitations
-- EMITS    group_invited

require_existing_group()
if not may_invite(members, uid) then refuse('ONLYGROUPOWNERS', group) end
local now, own = now_ms(), 0
for _, entry in ipairs(list_invites(invitations)) do
  local uses_left, expires, creator = parse_invite(entry[2])
  if uses_left == 0 or expires <= now then redis.call('HDEL', invitations, entry[1])
  elseif creator == uid then own = own + 1 end
end
local added, uids = {}, {}
for _, target in ipairs(targets) do
  local invited = string.match(target, '^@(%d+)$')
  if invited and redis.call('ZSCORE', banned, invited) then refuse('GROUPINVITEBANNED', group) end
  local is_member = invited and redis.call('ZSCORE', members, invited)
  local _, _, inviter = parse_invite(redis.call('HGET', invitations, target))
  if not is_member and not (inviter and may_invite(members, inviter)) then
    added[#added + 1], uids[#uids + 1] = target, invited
  end
end
local count = redis.call('HLEN', invitations) + #added
if own + #added > tonumber(own_max) or count > tonumber(all_max) then
  refuse('GROUPINVITESFULL', group)
end
refuse_when_behind()
for _, invited in ipairs(uids) do end_invitation(invited) end
local value = uses .. ' ' .. id_text(now + tonumber(lifetime)) .. ' ' .. uid
for _, target in ipairs(added) do redis.call('HSET', invitations, target, value) end
if #uids > 0 then
  emit('group_invited', 'group', gid, 'by', uid, 'uids', table.concat(uids, ' '))
end
return #added
