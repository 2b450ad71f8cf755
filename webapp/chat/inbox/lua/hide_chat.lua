-- Take a chat off a member's list, until they write in it.
--
-- KEYS     member_chats   zset: cid -> unix ms of the newest message
--          chat_state     hash: what the member's list says of each chat
-- ARGV     uid   whose list
--          cid   the chat's id
-- RETURNS  1
-- ERRORS   NOCHAT
-- WRITES   member_chats, chat_state
-- include chat/inbox/lua/includes/chat_state.lua
-- include chat/lua/includes/chat.lua

if redis.call('ZREM', member_chats, cid) == 0 then return redis.error_reply('NOCHAT ' .. cid) end
clear_state(chat_state, cid) -- messages that were deleted are so when the chat comes back
publish('b', uid)
return 1
