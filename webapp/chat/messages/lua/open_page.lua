-- Open a chat for a member: its fields, the read positions, and a page of messages with their
-- parents.
--
-- KEYS     owners          chat.chat_owners(cid)
--          reactions       chat.chat_reactions(cid)
--          read_receipts   chat.chat_read_receipts(cid)
--          sent            chat.chat_sent(cid)
-- ARGV     uid           who reads
--          around        a message id, 'unread' for the first unread message, '' for the end
--          before        how many messages before it
--          after         how many from it on
--          readers_max   most read receipts
--          since         unix ms to begin at instead of an id, or ''
-- RETURNS  {fields, how many members, 1 for an owner, first visible id, id read up to,
--          {id, message, reactions}…, the same of the messages they reply to,
--          {uid, id read up to, …} of those who have read furthest, first id, last id,
--          how many messages the reader has sent, and up to the end of the page or where they
--          have read, the newest message when the reader came, uid of who added them or ''}
-- ERRORS   NOCHAT, NOTINCHAT
-- WRITES   nothing
-- include chat/lua/includes/reader.lua

require_chat(chat)
require_member(chat, members, uid)

local joined, added_by = string.match(
  redis.call('HGET', visible_from, uid), '^%d+ (%d+) ?(%d*)')
local last = chat_number(chat, 'last')
local first = math.max(chat_number(chat, 'first'), first_visible_id(visible_from, uid))
local read_up_to = tonumber(redis.call('ZSCORE', read_receipts, uid))
local place = tonumber(around)
if since ~= '' then
  place = first_id_since(messages, first, last, tonumber(since))
elseif around == 'unread' then
  place = read_up_to + 1
end
place = math.max(first, math.min(place or last + 1, last + 1))

local from, to = math.max(first, place - before), math.min(last, place + after - 1)
local rows = read_messages(messages, reactions, id_range(from, to))
local parents = read_messages(messages, reactions, parent_ids(rows, first))
local last_in_page = rows[1] and to or to == last and last or 0
local shown = math.max(last_in_page, read_up_to)
local sent_shown = sent_until(sent, chat, messages, uid, shown, read_up_to)
return {
  redis.call('HGETALL', chat),
  redis.call('ZCARD', members),
  is_owner(owners, uid) and 1 or 0,
  first,
  read_up_to,
  rows,
  parents,
  furthest_readers(read_receipts, visible_from, readers_max),
  from,
  to,
  sent_counts(sent, uid),
  sent_shown,
  tonumber(joined),
  added_by,
}
