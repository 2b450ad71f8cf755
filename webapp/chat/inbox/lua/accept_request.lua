-- Accept a direct chat that the other member began.
--
-- KEYS     chat      chat.chat(cid)
--          members   chat.chat_members(cid)
-- ARGV     uid   who accepts
-- ERRORS   NOCHAT, NOTINCHAT
-- WRITES   chat

require_chat(chat)
require_member(chat, members, uid)
if redis.call('HGET', chat, 'creator') ~= uid then redis.call('HSET', chat, 'accepted', 1) end
publish('c', cid) -- whose pages say that it waits
return 1
