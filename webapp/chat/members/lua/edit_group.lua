-- Change a group's name, looks and settings, as an owner. The chat of a group keeps its kind.
--
-- KEYS     chat              chat.chat(cid)
--          members           chat.chat_members(cid)
--          owners            chat.chat_owners(cid)
--          messages          chat.chat_messages(cid)
--          reactions         chat.chat_reactions(cid)
--          changes           chat.chat_changes(cid)
--          postings          chat.search.chat_postings(cid)
--          records           chat.search.chat_search_records(cid)
--          read_receipts     chat.chat_read_receipts(cid)
--          fetch_positions   chat.chat_fetch_positions(cid)
-- ARGV     uid         who acts
--          fields...   names and values
-- RETURNS  1
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATOFGROUP, OVERLOADED
-- WRITES   chat, messages, reactions, changes, postings, records
-- EMITS    chat_pictures_removed, chat_changed
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/trim_history.lua

local function require_kind()
  for at = 1, #fields, 2 do
    if fields[at] == 'kind' then return require_unbound(chat) end
  end
end

local refusal = require_group(chat)
  or require_member(chat, members, uid)
  or require_owner(chat, owners, uid)
  or require_kind()
  or behind()
if refusal then return refusal end

local history = {
  chat = chat, messages = messages, reactions = reactions, changes = changes,
  postings = postings, records = records,
  cid = cid,
}
local old_picture = redis.call('HGET', chat, 'picture') or ''
redis.call('HSET', chat, unpack(fields))
if old_picture ~= '' and old_picture ~= redis.call('HGET', chat, 'picture') then
  remove_pictures(cid, {old_picture})
end
trim_fetched(history, read_receipts, fetch_positions)
emit('chat_changed', 'chat', cid)
publish('c', cid)
return 1
