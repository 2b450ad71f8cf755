-- The history of the chat that a call names, as trim_history.lua takes it.
--
-- KEYS     chat              chat.chat(cid)
--          messages          chat.chat_messages(cid)
--          reactions         chat.chat_reactions(cid)
--          changes           chat.chat_changes(cid)
--          postings          chat.search.chat_postings(cid)
--          records           chat.search.chat_search_records(cid)
--          read_receipts     chat.chat_read_receipts(cid)
--          fetch_positions   chat.chat_fetch_positions(cid)
-- WRITES   chat, messages, reactions, changes, postings, records

local history = {
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  cid = cid,
}

local function trim_own() trim_fetched(history, read_receipts, fetch_positions) end
