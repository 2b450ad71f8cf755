-- Delete a group, as an owner.
--
-- KEYS     chats   chat.chat.prefix(cid)
-- ARGV     uid   who acts
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATOFGROUP
-- EMITS    chat_deleted

local chat = keys_of_chat(chats, cid)
local refusal = require_group(chat.chat)
  or require_member(chat.chat, chat.members, uid)
  or require_owner(chat.chat, chat.owners, uid)
  or require_unbound(chat.chat)
  or behind()
if refusal then return refusal end

delete_chat(chat, table.concat(redis.call('ZRANGE', chat.members, 0, -1), ' '))
return 1
