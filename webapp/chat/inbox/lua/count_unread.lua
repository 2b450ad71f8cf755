-- Count unread messages in each chat, and in all that are not muted, archived or requests.
--
-- KEYS     member_chats   chat.inbox.member_chats(uid)
--          chat_state     chat.inbox.member_chat_state(uid)
-- RETURNS  {unread in all, requests, cid, unread, …}
-- WRITES   nothing

local state = read_state(chat_state)
local total, requests = 0, 0
local reply = {0, 0}
for _, cid in ipairs(redis.call('ZRANGE', member_chats, 0, -1)) do
  local unread = unread_count(state, cid)
  local request = state['waiting:' .. cid]
  if request then requests = requests + 1 end
  if not request and not state['muted:' .. cid] and not is_archived(state, cid) then
    total = total + unread
  end
  reply[#reply + 1] = cid
  reply[#reply + 1] = unread
end
reply[1], reply[2] = total, requests
return reply
