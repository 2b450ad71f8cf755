-- Enter the chat of a group, as one of its members. Owners of the group own the chat too. Doing it
-- again changes nothing.
--
-- KEYS     members   statuses.visibility.group_members(gid)
-- ARGV     gid
--          uid
--          members_max   config.chat_members_max
-- RETURNS  the chat's id
-- ERRORS   NOGROUP, NOTINGROUP, NOCHAT, CHATFULL
-- WRITES   chats
-- EMITS    chat_members, chat_deleted, chat_pictures_removed

local refusal = require_existing_group()
if refusal then return refusal end
if not redis.call('ZSCORE', members, uid) then return refuse('NOTINGROUP', group) end
local chat = chat_of()
if not chat then return refuse('NOCHAT', group) end
return behind() or enter_chat(chat, uid, members_max) or chat.cid
