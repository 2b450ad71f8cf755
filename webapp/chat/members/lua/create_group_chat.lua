-- Make a group chat with its first members and, if there is one, its first message. Doing it again
-- changes nothing.
--
-- KEYS     owners            chat.chat_owners(cid)
--          sent              chat.chat_sent(cid)
-- ARGV     uid           who makes it
--          kind          private, open or announcement
--          name
--          topic
--          shared        1 if newcomers see older messages
--          retention     history, or fetched
--          invitees      uids of the other members, spaced
--          must_accept   those who must accept first, spaced
--          bots          those who are bots, spaced
--          members_max   config.chat_members_max
--          body          the first message, JSON, or ''
--          record        its words and terms, for the index
--          terms         spaced
--          history_max   config.chat_history
-- RETURNS  1, or 0 if it exists
-- ERRORS   CHATFULL
-- WRITES   all keys but reactions, changes
-- EMITS    chat_pictures_removed, message_sent, chat_members
-- include chat/lua/includes/history.lua
-- include chat/lua/includes/roster.lua

if redis.call('HEXISTS', chat, 'kind') == 1 then return 0 end
local _, count = string.gsub(invitees, '%d+', '')
if count + 1 > tonumber(members_max) then refuse('CHATFULL', chat) end
refuse_when_behind()

make_chat(chat, uid, 'kind', kind, 'name', name, 'topic', topic, 'shared', shared,
  'retention', retention)
redis.call('SADD', owners, uid)
local is_bot = set_of(bots)
add_member(roster, uid)
for invitee in string.gmatch(invitees, '%d+') do
  add_member(roster, invitee, false, is_bot[invitee])
end
emit('chat_members', 'chat', cid, 'uids', uid .. ' ' .. invitees, 'must_accept', must_accept,
  'added_by', uid)

if body ~= '' then
  append_message(history, read_receipts, sent, uid, body,
    history_max, {record = record, terms = terms})
end
return 1
