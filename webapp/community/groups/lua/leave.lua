-- Leave a group and its chat, or take back a request to join it. Doing it again changes nothing.
--
-- KEYS     members    statuses.visibility.group_members(gid)
--          requests   community.groups.group_requests(gid)
-- ARGV     uid
-- RETURNS  1, or 0 if they were no member
-- ERRORS   NOGROUP, GROUPLASTOWNER
-- WRITES   members, owners, requests, chats
-- EMITS    group_members, chat_members, chat_deleted, chat_pictures_removed

require_existing_group()
require_other_owner(owners, uid)
refuse_when_behind()
redis.call('ZREM', requests, uid)
redis.call('SREM', owners, uid)
leave_chat(chat_of(), uid)
if redis.call('ZREM', members, uid) == 0 then return 0 end
emit('group_members', 'group', gid, 'uids', uid)
return 1
