-- Purpose: make a group with its first members and, if there is one, its first message. Again is no change.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = cid  2 = partition  3 = uid  4 = kind  5 = name  6 = topic  7 = shared  8 = the others' uids, spaced  9 = those of
--       them who are to be asked  10 = CHAT_MEMBERS_MAX  11 = message, JSON, or ''  12 = CHAT_HISTORY  13 = OUTBOX_MAX  14 = rid
--       15 = those of the others who are bots
-- Returns: 1, or 0 when it is there already   Errors: CHATFULL, OVERLOADED   Writes: all keys but reactions, invites
-- include chat/lua/includes/append_message.lua
-- include chat/lua/includes/add_member.lua
local cid, partition, uid, kind, name, topic, shared, others, asked, most, body, history, max, rid = unpack(ARGV)
local bots = set_of(ARGV[15])
if field('kind') then return 0 end
local _, count = string.gsub(others, '%d+', '')
if count + 1 > tonumber(most) then return refuse('CHATFULL') end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('HSET', chat, 'kind', kind, 'name', name, 'topic', topic, 'shared', shared, 'keep', 'history',
  'created', id_text(now_ms()), 'by', uid, 'last', 0, 'first', 1, 'rev', 0)
redis.call('SADD', owners, uid)
enter(uid)
for other in string.gmatch(others, '%d+') do enter(other, false, bots[other]) end
emit(outbox, partition, 'type', 'chat_members', 'rid', rid, 'chat', cid, 'uids', uid .. ' ' .. others, 'asked', asked)
if body ~= '' then say(cid, partition, uid, body, history, rid) end
return 1
