-- Count the chats of a member: those on their list, and those that wait for an answer.
--
-- KEYS     member_chats   chat.inbox.member_chats(uid)
--          chat_state     chat.inbox.member_chat_state(uid)
-- RETURNS  {chats, requests}
-- WRITES   nothing

local requests = 0
for _, field in ipairs(redis.call('HKEYS', chat_state)) do
  if string.sub(field, 1, 8) == 'waiting:' then requests = requests + 1 end
end
return {redis.call('ZCARD', member_chats) - requests, requests}
