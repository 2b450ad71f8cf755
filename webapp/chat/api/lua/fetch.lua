-- Return the messages of a chat that a member has not fetched, and note that they have them now
-- (after Redis in Action, 6.5).
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
-- ARGV     uid     who fetches
--          limit   most messages in an answer
--          mark    1 to note it
-- RETURNS  {the chat's fields, how many members, last id fetched, {id, message, reactions}…};
--          {} for somebody who is not a member
-- WRITES   fetch_positions, chat, messages, reactions, changes, postings, records
-- EMITS    chat_pictures_removed
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua

if not is_member(members, uid) then return {} end

local position = tonumber(redis.call('ZSCORE', fetch_positions, uid))
local start = math.max(position, chat_number(chat, 'first') - 1)
local last = math.min(chat_number(chat, 'last'), start + tonumber(limit))
local rows = read_messages(messages, reactions, id_range(start + 1, last))
local reply = {redis.call('HGETALL', chat), redis.call('ZCARD', members), last, rows}

if mark == '1' and last > start then
  redis.call('ZADD', fetch_positions, 'GT', last, uid)
  trim_fetched({
    chat = chat, messages = messages, reactions = reactions, changes = changes,
    postings = postings, records = records,
    cid = cid,
  }, read_receipts, fetch_positions)
end
return reply
