-- Delete a group chat, as an owner.
--
-- KEYS     chats   chat.chat.prefix(cid)
-- ARGV     uid   who acts
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATOFGROUP
-- EMITS    chat_deleted

local chat = keys_of_chat(chats, cid)
require_group_chat(chat.chat)
require_member(chat.chat, chat.members, uid)
require_owner(chat.chat, chat.owners, uid)
require_unbound(chat.chat)
refuse_when_behind()

delete_chat(chat, table.concat(redis.call('ZRANGE', chat.members, 0, -1), ' '))
return 1
