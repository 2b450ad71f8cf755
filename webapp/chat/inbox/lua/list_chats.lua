-- Purpose: a member's list of chats, the one that was written to last first.
-- KEYS: 1 = keys.member_chats  2 = keys.chat_marks
-- Returns: {cid, unread, read up to, muted, archived, waiting} each, '' or 0 where not   Errors: none   Writes: nothing
-- include chat/inbox/lua/includes/chat_state.lua
local marks, rows = marks_of(KEYS[2]), {}
for index, cid in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1, 'REV')) do
  local unread, archived = unread_of(marks, cid)
  local muted = marks['muted:' .. cid] and 1 or 0
  rows[index] = {cid, unread, marks['read:' .. cid] or '0', muted, archived and 1 or 0, marks['waiting:' .. cid] or ''}
end
return rows
