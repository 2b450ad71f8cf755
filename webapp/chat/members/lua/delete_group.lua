-- Delete a group, as an owner.
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          owners            set of uids
--          visible_from      hash: uid -> first message they see, newest when they came
--          messages          hash: id -> JSON
--          reactions         hash: message id -> JSON, emoji -> uids
--          changes           zset: message id -> revision
--          postings          zset: term and message id, at 0
--          records           hash: message id -> its words and terms
--          read_receipts     zset: uid -> message id
--          sent              hash: uid -> messages sent, and up to where they have read
--          fetch_positions   zset: uid -> message id
--          invites           hash: SHA-256 of the secret -> uses left, expiry, uid
--          outbox            stream: the partition's events
--          removed           zset: uid -> unix ms
-- ARGV     cid          the chat's id
--          partition    the chat's partition
--          uid          who acts
--          outbox_max   OUTBOX_MAX
--          request_id
-- RETURNS  1
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED
-- WRITES   all keys
-- include chat/members/lua/includes/delete_chat.lua
-- include chat/lua/includes/roles.lua

local refusal = require_group(chat)
  or require_member(chat, members, uid)
  or require_owner(chat, owners, uid)
  or behind(outbox, outbox_max)
if refusal then return refusal end

delete_chat({
  chat = chat, members = members, owners = owners, visible_from = visible_from,
  messages = messages, reactions = reactions, changes = changes, read_receipts = read_receipts,
  sent = sent, fetch_positions = fetch_positions, invites = invites, removed = removed,
  postings = postings, records = records,
  outbox = outbox, cid = cid, partition = partition,
}, table.concat(redis.call('ZRANGE', members, 0, -1), ' '), request_id)
return 1
