-- Send a message, once for each idempotency key. A direct chat begins with its first message.
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
--          outbox            stream: the partition's events
--          idempotency       string: id of the message that this key has sent
-- ARGV     cid             the chat's id
--          partition       the chat's partition
--          uid             who sends
--          body            the message, JSON without `by` and `at`
--          record          its words and terms, for the index
--          terms           spaced
--          reply_to        the message that it replies to, '' for none
--          key_seconds     life of the idempotency key
--          history_max     CHAT_HISTORY
--          other           uid of the other member of a direct chat, '' for a group
--          needs_request   1 if the other member must accept first
--          request_max     CHAT_REQUEST_MAX
--          outbox_max      OUTBOX_MAX
--          request_id
-- RETURNS  the message's id
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, REQUESTWAITS, NOMEMBER, NOMESSAGE,
--          OVERLOADED
-- WRITES   all keys but owners
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/append_message.lua
-- include chat/messages/lua/includes/direct.lua

local sent_id = redis.call('GET', idempotency)
if sent_id then return tonumber(sent_id) end

local kind = redis.call('HGET', chat, 'kind')
if not kind and other == '' then return refuse('NOCHAT', chat) end
local refusal = kind and (require_member(chat, members, uid) or require_writer(chat, owners, uid))
if refusal then return refusal end
if kind and other ~= '' and not is_member(members, other) then return refuse('NOMEMBER', chat) end
if reply_to ~= '' then
  local parent = kind and visible_message(messages, visible_from, uid, reply_to)
  if not parent or cjson.decode(parent).gone then return refuse('NOMESSAGE', chat) end
end
local is_request = kind == 'direct' and redis.call('HEXISTS', chat, 'accepted') == 0
local is_requester = is_request and redis.call('HGET', chat, 'creator') == uid
if is_requester and chat_number(chat, 'last') >= tonumber(request_max) then
  return refuse('REQUESTWAITS', chat)
end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

local roster = {
  chat = chat, members = members, visible_from = visible_from,
  read_receipts = read_receipts, fetch_positions = fetch_positions,
}
local history = {
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  outbox = outbox, cid = cid, partition = partition,
}
if not kind then
  begin_direct_chat(roster, history, uid, other, needs_request == '1', request_id)
elseif is_request and not is_requester then
  redis.call('HSET', chat, 'accepted', 1)
end
local id = append_message(history, read_receipts, sent, uid, body, history_max, request_id,
  {record = record, terms = terms})
redis.call('SET', idempotency, id, 'EX', key_seconds)
return id
