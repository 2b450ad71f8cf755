-- Return the messages of a chat that a member has not fetched, and note that they have them now
-- (after Redis in Action, 6.5).
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          messages          hash: id -> JSON
--          reactions         hash: message id -> JSON, emoji -> uids
--          changes           zset: message id -> revision
--          postings          zset: term and message id, at 0
--          records           hash: message id -> its words and terms
--          read_receipts     zset: uid -> message id
--          fetch_positions   zset: uid -> message id
--          outbox            stream: the partition's events
-- ARGV     cid         the chat's id
--          partition   the chat's partition
--          uid         who fetches
--          limit       most messages in an answer
--          mark        1 to note it
-- RETURNS  {the chat's fields, how many members, last id fetched, {id, message, reactions}…};
--          {} for somebody who is not a member
-- WRITES   fetch_positions; chat, messages, reactions, changes, postings, records and outbox where
--          messages go once everybody has them
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
    outbox = outbox, cid = cid, partition = partition,
  }, read_receipts, fetch_positions)
end
return reply
