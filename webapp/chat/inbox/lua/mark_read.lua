-- Note how far a member has read a chat. This only grows.
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          messages          hash: id -> JSON
--          reactions         hash: message id -> JSON, emoji -> uids
--          changes           zset: message id -> revision
--          postings          zset: term and message id, at 0
--          records           hash: message id -> its words and terms
--          read_receipts     zset: uid -> message id
--          sent              hash: uid -> messages sent, and up to where they have read
--          fetch_positions   zset: uid -> message id
--          outbox            stream: the partition's events
-- ARGV     cid          the chat's id
--          partition    the chat's partition
--          uid          who has read
--          message_id   the last message
--          quiet        1 to tell no open page
-- RETURNS  {the id up to which they have read, how many messages they have sent up to there}
-- ERRORS   NOTINCHAT
-- WRITES   read_receipts, sent; chat, messages, reactions, changes, postings, records and outbox
--          where messages go once everybody has them
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua
-- include chat/lua/includes/sent_counts.lua

local refusal = require_member(chat, members, uid)
if refusal then return refusal end

-- Messages that are gone count as read.
local last = math.min(tonumber(message_id), chat_number(chat, 'last'))
last = math.max(last, chat_number(chat, 'first') - 1)
local moved = redis.call('ZADD', read_receipts, 'GT', 'CH', last, uid) == 1
if moved and redis.call('HEXISTS', sent, uid) == 1 then
  local sent_read = sent_until(sent, chat, messages, uid, last)
  redis.call('HSET', sent, uid, id_text(sent_counts(sent, uid)) .. ' ' .. id_text(sent_read))
end
if moved and quiet ~= '1' then publish('s', cid, uid, id_text(last)) end
trim_fetched({
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  outbox = outbox, cid = cid, partition = partition,
}, read_receipts, fetch_positions)
local _, sent_read = sent_counts(sent, uid)
return {tonumber(redis.call('ZSCORE', read_receipts, uid)), sent_read}
