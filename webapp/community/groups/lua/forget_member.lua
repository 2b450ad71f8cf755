-- Take a deleted account out of a group. Without another owner the member of longest standing
-- becomes one; without another member the group is closed.
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
--          leaving       community.groups.group_leaving(gid)
-- ARGV     uid
-- RETURNS  1, or 0 if they were no member
-- ERRORS   LEASELOST
-- WRITES   all keys
-- EMITS    group_members, group_closed, group_invited, chat_members,
--          chat_deleted, chat_pictures_removed
-- FENCED
-- include chat/members/lua/includes/invites.lua
-- include community/groups/lua/includes/close_group.lua
-- include community/groups/lua/includes/invitations.lua

end_invitation(uid)
redis.call('SREM', owners, uid)
if redis.call('ZREM', members, uid) == 0 then return 0 end
leave_chat(chat_of(), uid)
local oldest = redis.call('ZRANGE', members, 0, 0)[1]
if not oldest then
  local others = {owners, requests, banned, posts, votes, top, pinned, removed, invitations}
  close_group(gid, group, members, leaving, others, chat_of())
  return 1
end
if redis.call('SCARD', owners) == 0 then redis.call('SADD', owners, oldest) end
match_owner(chat_of(), oldest)
emit('group_members', 'group', gid, 'uids', uid)
return 1
