-- Send a message, once for each idempotency key. A direct chat begins with its first message.
--
-- KEYS     owners            chat.chat_owners(cid)
--          sent              chat.chat_sent(cid)
--          idempotency       chat.message_idempotency(cid, uid, key)
--          uploads           statuses.attachments.uploads(partition)
-- ARGV     uid             who sends
--          body            the message, JSON without `by` and `at`
--          record          its words and terms, for the index
--          terms           spaced
--          reply_to        the message that it replies to, '' for none
--          key_seconds     life of the idempotency key
--          history_max     config.chat_history
--          other           uid of the other member of a direct chat, '' for a group chat
--          needs_request   1 if the other member must accept first
--          request_max     config.chat_request_max
-- RETURNS  the message's id
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, REQUESTWAITS, NOMEMBER, NOMESSAGE, NOUPLOAD
-- WRITES   all keys but owners
-- EMITS    chat_pictures_removed, message_sent, chat_members
-- include chat/lua/includes/roster.lua
-- include chat/lua/includes/history.lua
-- include chat/lua/includes/reader.lua

local sent_id = redis.call('GET', idempotency)
if sent_id then return tonumber(sent_id) end

local kind = redis.call('HGET', chat, 'kind')
if not kind and other == '' then refuse('NOCHAT', chat) end
if kind then
  require_member(chat, members, uid)
  require_writer(chat, owners, uid)
end
if kind and other ~= '' and not is_member(members, other) then refuse('NOMEMBER', chat) end
if reply_to ~= '' then
  local parent = kind and visible_message(messages, visible_from, uid, reply_to)
  if not parent or cjson.decode(parent).gone then refuse('NOMESSAGE', chat) end
end
local is_request = kind == 'direct' and redis.call('HEXISTS', chat, 'accepted') == 0
local is_requester = is_request and redis.call('HGET', chat, 'creator') == uid
if is_requester and chat_number(chat, 'last') >= tonumber(request_max) then
  refuse('REQUESTWAITS', chat)
end
refuse_when_behind()
for _, name in ipairs(picture_names({body})) do
  -- Files that have waited for too long are being removed.
  if redis.call('ZSCORE', uploads, name) == '0' then refuse('NOUPLOAD', name) end
  redis.call('ZREM', uploads, name)
end

if not kind then
  begin_direct_chat(roster, history, uid, other, needs_request == '1')
elseif is_request and not is_requester then
  redis.call('HSET', chat, 'accepted', 1)
end
local id = append_message(history, read_receipts, sent, uid, body, history_max,
  {record = record, terms = terms})
redis.call('SET', idempotency, id, 'EX', key_seconds)
return id
