-- Close a group for good, as an owner. What it had ends in this step; members' own lists follow.
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
-- ARGV     uid
-- RETURNS  1
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, OVERLOADED
-- WRITES   all keys
-- EMITS    group_closed, chat_members, chat_deleted, chat_pictures_removed
-- include community/groups/lua/includes/group.lua
-- include community/groups/lua/includes/close_group.lua

local refusal = require_group_owner(owners, uid) or behind()
if refusal then return refusal end
local others = {owners, requests, banned, posts, votes, top, pinned, removed, invitations}
close_group(gid, group, members, leaving, others, chat_of())
return 1
