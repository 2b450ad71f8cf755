-- Purpose: how much is unread in all chats that a member wants to hear of, and in each.
-- KEYS: 1 = keys.member_chats  2 = keys.chat_marks
-- Returns: {in all, how many requests wait, cid, unread, …} with each chat that has something unread, or had until now
-- Errors: none   Writes: nothing
-- include chat/inbox/lua/includes/chat_state.lua
local marks, total, requests = marks_of(KEYS[2]), 0, 0
local reply = {0, 0}
for _, cid in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local unread, archived = unread_of(marks, cid)
  local waiting = marks['waiting:' .. cid]
  if waiting == 'request' then requests = requests + 1 end
  if not waiting and not archived and not marks['muted:' .. cid] then total = total + unread end
  reply[#reply + 1], reply[#reply + 2] = cid, unread
end
reply[1], reply[2] = total, requests
return reply
