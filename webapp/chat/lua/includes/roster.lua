-- Who belongs to the chat that a call names, as add_member.lua takes it.
--
-- KEYS     chat              chat.chat(cid)
--          members           chat.chat_members(cid)
--          visible_from      chat.chat_visible_from(cid)
--          read_receipts     chat.chat_read_receipts(cid)
--          fetch_positions   chat.chat_fetch_positions(cid)
-- WRITES   members, visible_from, read_receipts, fetch_positions
-- include chat/lua/includes/add_member.lua

local roster = {
  chat = chat, members = members, visible_from = visible_from,
  read_receipts = read_receipts, fetch_positions = fetch_positions,
}
