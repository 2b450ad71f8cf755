-- Delete a group, as an owner.
--
-- KEYS     chat              chat.chat(cid)
--          members           chat.chat_members(cid)
--          owners            chat.chat_owners(cid)
--          visible_from      chat.chat_visible_from(cid)
--          messages          chat.chat_messages(cid)
--          reactions         chat.chat_reactions(cid)
--          changes           chat.chat_changes(cid)
--          postings          chat.search.chat_postings(cid)
--          records           chat.search.chat_search_records(cid)
--          read_receipts     chat.chat_read_receipts(cid)
--          sent              chat.chat_sent(cid)
--          fetch_positions   chat.chat_fetch_positions(cid)
--          invites           chat.members.chat_invites(cid)
--          removed           chat.members.chat_removed(cid)
-- ARGV     cid   the chat's id
--          uid   who acts
-- RETURNS  1
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED, CHATOFGROUP
-- WRITES   all keys
-- EMITS    chat_deleted
-- include chat/members/lua/includes/delete_chat.lua
-- include chat/lua/includes/roles.lua

local refusal = require_group(chat)
  or require_member(chat, members, uid)
  or require_owner(chat, owners, uid)
  or require_unbound(chat)
  or behind()
if refusal then return refusal end

delete_chat({
  chat = chat, members = members, owners = owners, visible_from = visible_from,
  messages = messages, reactions = reactions, changes = changes, read_receipts = read_receipts,
  sent = sent, fetch_positions = fetch_positions, invites = invites, removed = removed,
  postings = postings, records = records,
  cid = cid,
}, table.concat(redis.call('ZRANGE', members, 0, -1), ' '))
return 1
