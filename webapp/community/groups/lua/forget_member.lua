-- Take a deleted account out of a group. Without another owner the member of longest standing
-- becomes one; without another member the group is closed.
--
-- KEYS     suspended   accounts.suspended_members(gid)
-- ARGV     uid
-- RETURNS  1, or 0 if they were no member
-- EMITS    group_members, group_closed, group_invited, chat_members,
--          chat_deleted, chat_pictures_removed
-- FENCED

local CANDIDATES = 100 -- members of whom one becomes the owner
end_invitation(uid)
redis.call('SREM', owners, uid)
if redis.call('ZREM', members, uid) == 0 then return 0 end
leave_chat(chat_of(), uid)
local oldest = successor_of(redis.call('ZRANGE', members, 0, CANDIDATES - 1), suspended)
if not oldest then
  close_group()
  return 1
end
if not has_other_owner(owners, uid, suspended) then redis.call('SADD', owners, oldest) end
match_owner(chat_of(), oldest)
emit('group_members', 'group', gid, 'uids', uid)
return 1
