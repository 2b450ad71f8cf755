-- Purpose: how many chats a member has: those they want, and those that wait for their answer.
-- KEYS: 1 = keys.member_chats  2 = keys.chat_marks
-- Returns: {wanted, waiting}   Errors: none   Writes: nothing
local all, waiting = redis.call('ZCARD', KEYS[1]), 0
for _, name in ipairs(redis.call('HKEYS', KEYS[2])) do
  if string.sub(name, 1, 8) == 'waiting:' then waiting = waiting + 1 end
end
return {all - waiting, waiting}
