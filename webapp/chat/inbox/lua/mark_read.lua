-- Note how far a member has read a chat. This only grows.
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          messages          hash: id -> JSON
--          reactions         hash: message id -> JSON, emoji -> uids
--          changes           zset: message id -> revision
--          read_receipts     zset: uid -> message id
--          fetch_positions   zset: uid -> message id
--          outbox            stream: the partition's events
-- ARGV     cid          the chat's id
--          partition    the chat's partition
--          uid          who has read
--          message_id   the last message
--          quiet        1 to tell no open page
-- RETURNS  the id up to which they have read
-- ERRORS   NOTINCHAT
-- WRITES   read_receipts; chat, messages, reactions, changes and outbox where messages go once
--          everybody has them
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua

local refusal = require_member(chat, members, uid)
if refusal then return refusal end

local last = math.min(tonumber(message_id), chat_number(chat, 'last'))
local moved = redis.call('ZADD', read_receipts, 'GT', 'CH', last, uid) == 1
if moved and quiet ~= '1' then publish('s', cid, uid, id_text(last)) end
trim_fetched({
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  outbox = outbox, cid = cid, partition = partition,
}, read_receipts, fetch_positions)
return tonumber(redis.call('ZSCORE', read_receipts, uid))
