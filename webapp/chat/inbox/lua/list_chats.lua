-- List a member's chats, by their newest message, the newest first.
--
-- KEYS     member_chats   chat.inbox.member_chats(uid)
--          chat_state     chat.inbox.member_chat_state(uid)
-- RETURNS  {cid, unread, muted, archived, request, deleted}…: muted and archived are 1 or 0,
--          request is 'request', 'opened' or '', deleted has ids of messages, spaced
-- WRITES   nothing

local state = read_state(chat_state)
local rows = {}
for index, cid in ipairs(redis.call('ZRANGE', member_chats, 0, -1, 'REV')) do
  local muted = state['muted:' .. cid] and 1 or 0
  local archived = is_archived(state, cid) and 1 or 0
  local request, deleted = state['waiting:' .. cid] or '', state['deleted:' .. cid] or ''
  rows[index] = {cid, unread_count(state, cid), muted, archived, request, deleted}
end
return rows
