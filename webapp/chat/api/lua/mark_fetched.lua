-- Note that a member has fetched a chat up to a message.
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
-- ARGV     cid          the chat's id
--          partition    the chat's partition
--          uid          who has fetched
--          message_id   the last message
-- RETURNS  the last message that counts as fetched, -1 for somebody who is not a member
-- WRITES   fetch_positions; chat, messages, reactions, changes, postings, records and outbox where
--          messages go once everybody has them
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua

if not is_member(members, uid) then return -1 end

local last = math.min(tonumber(message_id), chat_number(chat, 'last'))
redis.call('ZADD', fetch_positions, 'GT', last, uid)
trim_fetched({
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  outbox = outbox, cid = cid, partition = partition,
}, read_receipts, fetch_positions)
return last
