-- Count the chats of a member: those on their list, and those that wait for an answer.
--
-- KEYS     member_chats   zset: cid -> unix ms of the newest message
--          chat_state     hash: what the member's list says of each chat
-- RETURNS  {chats, requests}

local requests = 0
for _, field in ipairs(redis.call('HKEYS', chat_state)) do
  if string.sub(field, 1, 8) == 'waiting:' then requests = requests + 1 end
end
return {redis.call('ZCARD', member_chats) - requests, requests}
