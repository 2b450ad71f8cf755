-- Enter the chat of a group, as one of its members. Owners of the group own the chat too. Doing it
-- again changes nothing.
--
-- KEYS     members   statuses.visibility.group_members(gid)
-- ARGV     uid
--          members_max   config.chat_members_max
-- RETURNS  the chat's id
-- ERRORS   NOGROUP, NOTINGROUP, NOCHAT, CHATFULL
-- WRITES   chats
-- EMITS    chat_members, chat_deleted, chat_pictures_removed

require_existing_group()
if not redis.call('ZSCORE', members, uid) then refuse('NOTINGROUP', group) end
local chat = chat_of()
if not chat then refuse('NOCHAT', group) end
refuse_when_behind()
enter_chat(chat, uid, members_max)
return chat.cid
