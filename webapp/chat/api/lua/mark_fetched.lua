-- Note that a member has fetched a chat up to a message.
--
-- KEYS     chat              chat.chat(cid)
--          members           chat.chat_members(cid)
--          messages          chat.chat_messages(cid)
--          reactions         chat.chat_reactions(cid)
--          changes           chat.chat_changes(cid)
--          postings          chat.search.chat_postings(cid)
--          records           chat.search.chat_search_records(cid)
--          read_receipts     chat.chat_read_receipts(cid)
--          fetch_positions   chat.chat_fetch_positions(cid)
-- ARGV     uid          who has fetched
--          message_id   the last message
-- RETURNS  the last message that counts as fetched, -1 for somebody who is not a member
-- WRITES   fetch_positions, chat, messages, reactions, changes, postings, records
-- EMITS    chat_pictures_removed
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua

if not is_member(members, uid) then return -1 end

local last = math.min(tonumber(message_id), chat_number(chat, 'last'))
redis.call('ZADD', fetch_positions, 'GT', last, uid)
trim_fetched({
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  cid = cid,
}, read_receipts, fetch_positions)
return last
