-- Make a group with its first members and, if there is one, its first message. Doing it again
-- changes nothing.
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
-- ARGV     cid           the chat's id
--          partition     the chat's partition
--          uid           who makes it
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
--          outbox_max    OUTBOX_MAX
--          request_id
-- RETURNS  1, or 0 if it exists
-- ERRORS   CHATFULL, OVERLOADED
-- WRITES   all keys but reactions and changes
-- include chat/lua/includes/append_message.lua
-- include chat/lua/includes/add_member.lua

if redis.call('HEXISTS', chat, 'kind') == 1 then return 0 end
local _, count = string.gsub(invitees, '%d+', '')
if count + 1 > tonumber(members_max) then return refuse('CHATFULL', chat) end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('HSET', chat, 'kind', kind, 'name', name, 'topic', topic, 'shared', shared,
  'retention', retention, 'created', id_text(now_ms()), 'creator', uid,
  'last', 0, 'first', 1, 'rev', 0)
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
emit(outbox, partition, 'type', 'chat_members', 'rid', request_id,
  'chat', cid, 'uids', uid .. ' ' .. invitees, 'must_accept', must_accept)

if body ~= '' then
  local history = {
    chat = chat, messages = messages, reactions = reactions, changes = changes,
    postings = postings, records = records,
    outbox = outbox, cid = cid, partition = partition,
  }
  append_message(history, read_receipts, sent, uid, body,
    history_max, request_id, {record = record, terms = terms})
end
return 1
