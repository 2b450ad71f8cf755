-- Change a group's name, looks and settings, as an owner.
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          owners            set of uids
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
--          uid          who acts
--          outbox_max   OUTBOX_MAX
--          request_id
--          fields...    names and values
-- RETURNS  1
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED
-- WRITES   chat, outbox; messages, reactions, changes, postings and records where messages go once
--          everybody has them
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua
-- include core/events/lua/includes/emit.lua

local refusal = require_group(chat)
  or require_member(chat, members, uid)
  or require_owner(chat, owners, uid)
  or behind(outbox, outbox_max)
if refusal then return refusal end

local history = {
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  outbox = outbox, cid = cid, partition = partition,
}
local old_picture = redis.call('HGET', chat, 'picture') or ''
redis.call('HSET', chat, unpack(fields))
if old_picture ~= '' and old_picture ~= redis.call('HGET', chat, 'picture') then
  remove_pictures(outbox, partition, cid, {old_picture})
end
trim_fetched(history, read_receipts, fetch_positions)
emit(outbox, partition, 'type', 'chat_changed', 'rid', request_id, 'chat', cid)
publish('c', cid)
return 1
