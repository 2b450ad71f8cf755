-- Make a group with its first members and, if there is one, its first message. Doing it again
-- changes nothing.
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
-- ARGV     uid           who makes it
--          kind          private, open or announcement
--          name
--          topic
--          shared        1 if newcomers see older messages
--          retention     history, or fetched
--          invitees      uids of the other members, spaced
--          must_accept   those who must accept first, spaced
--          bots          those who are bots, spaced
--          members_max   CHAT_MEMBERS_MAX
--          body          the first message, JSON, or ''
--          record        its words and terms, for the index
--          terms         spaced
--          history_max   CHAT_HISTORY
-- RETURNS  1, or 0 if it exists
-- ERRORS   CHATFULL, OVERLOADED
-- WRITES   all keys but reactions, changes
-- EMITS    chat_pictures_removed, message_sent, chat_members
-- include chat/lua/includes/append_message.lua
-- include chat/lua/includes/add_member.lua
-- include chat/members/lua/includes/make_chat.lua

if redis.call('HEXISTS', chat, 'kind') == 1 then return 0 end
local _, count = string.gsub(invitees, '%d+', '')
if count + 1 > tonumber(members_max) then return refuse('CHATFULL', chat) end
local refusal = behind()
if refusal then return refusal end

make_chat(chat, uid, 'kind', kind, 'name', name, 'topic', topic, 'shared', shared,
  'retention', retention)
redis.call('SADD', owners, uid)
local roster = {
  chat = chat, members = members, visible_from = visible_from,
  read_receipts = read_receipts, fetch_positions = fetch_positions,
}
local is_bot = set_of(bots)
add_member(roster, uid)
for invitee in string.gmatch(invitees, '%d+') do
  add_member(roster, invitee, false, is_bot[invitee])
end
emit('chat_members', 'chat', cid, 'uids', uid .. ' ' .. invitees, 'must_accept', must_accept,
  'added_by', uid)

if body ~= '' then
  local history = {
    chat = chat, messages = messages, reactions = reactions, changes = changes,
    postings = postings, records = records,
    cid = cid,
  }
  append_message(history, read_receipts, sent, uid, body,
    history_max, {record = record, terms = terms})
end
return 1
