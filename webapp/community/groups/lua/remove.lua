-- Remove from a group who belongs to it, asks or is invited, for good or not, as an owner. Or let a
-- banned member back.
--
-- KEYS     members       statuses.visibility.group_members(gid)
--          requests      community.groups.group_requests(gid)
--          banned        community.groups.group_banned(gid)
-- ARGV     uid
--          target
--          act   remove, ban or unban
--          posts_too   1 to take the member's posts off the timeline too, or ''
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, GROUPOWNER
-- WRITES   members, requests, banned, invitations, chats,
--          posts, votes, voters, top, pinned, removed
-- EMITS    group_members, group_invited, chat_members, chat_deleted, chat_pictures_removed

local BANNED_MAX = 1000
require_group_owner(owners, uid)
if redis.call('SISMEMBER', owners, target) == 1 then refuse('GROUPOWNER', group) end
refuse_when_behind()
if act == 'unban' then
  redis.call('ZREM', banned, target)
  return 1
end
if act == 'ban' then
  redis.call('ZADD', banned, id_text(now_ms()), target)
  redis.call('ZREMRANGEBYRANK', banned, 0, -BANNED_MAX - 1)
end
if posts_too ~= '' then
  for _, entry in ipairs(redis.call('ZRANGE', posts, 0, -1)) do
    if string.match(entry, ':(%d+)$') == target then drop_entry(entry) end
  end
end
redis.call('ZREM', requests, target)
end_invitation(target)
leave_chat(chat_of(), target)
if redis.call('ZREM', members, target) == 1 then
  emit('group_members', 'group', gid, 'uids', target)
end
return 1
