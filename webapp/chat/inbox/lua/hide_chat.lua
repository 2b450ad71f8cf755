-- Take a chat off a member's list, until they write in it.
--
-- KEYS     member_chats   chat.inbox.member_chats(uid)
--          chat_state     chat.inbox.member_chat_state(uid)
--          hidden         chat.inbox.hidden_chats(uid)
-- ARGV     cid   the chat's id
-- ERRORS   NOCHAT

if redis.call('ZREM', member_chats, cid) == 0 then refuse('NOCHAT', cid) end
redis.call('ZADD', hidden, id_text(now_ms()), cid)
clear_state(chat_state, cid) -- messages that were deleted are so when the chat comes back
publish('b', uid)
return 1
