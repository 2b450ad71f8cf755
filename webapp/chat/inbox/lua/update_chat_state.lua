-- Change a chat's fields on a member's list. How far they have read only grows.
--
-- KEYS     member_chats   chat.inbox.member_chats(uid)
--          chat_state     chat.inbox.member_chat_state(uid)
-- ARGV     cid     the chat's id
--          field   read, muted, archived or waiting
--          value   '' for none; waiting becomes `opened` only after `request`
--          sent?   with `read`: how many messages they have sent up to there
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOCHAT
-- WRITES   chat_state

if field ~= 'read' and not redis.call('ZSCORE', member_chats, cid) then refuse('NOCHAT', cid) end

local name = field .. ':' .. cid
local before = redis.call('HGET', chat_state, name) or ''
if field == 'archived' and value ~= '' then
  value = redis.call('HGET', chat_state, 'last:' .. cid) or '0'
end
local is_opened = field == 'read' and redis.call('HDEL', chat_state, 'added:' .. cid) == 1
if is_opened then publish('b', uid) end
if before == value or value == 'opened' and before ~= 'request' then return 0 end
if field == 'read' and tonumber(before ~= '' and before or -1) >= tonumber(value) then return 0 end
if sent then raise_state(chat_state, 'sent_read:' .. cid, sent) end

store_field(chat_state, name, value)
if field == 'read' then note_deleted(chat_state, cid, {}) end
publish('b', uid)
return 1
