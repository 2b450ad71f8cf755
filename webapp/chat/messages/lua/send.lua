-- Purpose: send a message, once for each key. A direct chat comes into being with its first.
-- KEYS: 1 to 12 = store.names  13 = keys.sent
-- ARGV: 1 = cid  2 = partition  3 = uid  4 = message, JSON  5 = life of the key, seconds  6 = CHAT_HISTORY  7 = OUTBOX_MAX
--       8 = rid  9 = the other's uid in a direct chat, else ''  10 = 1 when they have to be asked first  11 = CHAT_REQUEST_MAX
-- Returns: the id   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, REQUESTWAITS, NOMEMBER, OVERLOADED   Writes: all keys but invites
-- include chat/lua/includes/append_message.lua
-- include chat/lua/includes/add_member.lua
local sent = KEYS[13]
local cid, partition, uid, body, life, history, max, rid, other, ask, most = unpack(ARGV)
local before = redis.call('GET', sent)
if before then return tonumber(before) end
local kind = field('kind')
if not kind and other == '' then return refuse('NOCHAT') end
if kind and not belongs(uid) then return refuse('NOTINCHAT') end
if kind == 'announcement' and not owns(uid) then return refuse('ONLYOWNERS') end
if kind and other ~= '' and not belongs(other) then return refuse('NOMEMBER') end
local waits = kind == 'direct' and not field('answered')
if waits and field('by') == uid and number('last') >= tonumber(most) then return refuse('REQUESTWAITS') end
local refusal = behind(outbox, max)
if refusal then return refusal end
if not kind then
  local now = id_text(now_ms())
  redis.call('HSET', chat, 'kind', 'direct', 'created', now, 'by', uid, 'last', 0, 'first', 1, 'rev', 0, 'keep', 'history')
  if ask ~= '1' then redis.call('HSET', chat, 'answered', 1) end
  enter(uid)
  enter(other)
  local asked = ask == '1' and other or ''
  emit(outbox, partition, 'type', 'chat_members', 'rid', rid, 'chat', cid, 'uids', uid .. ' ' .. other, 'asked', asked)
elseif waits and field('by') ~= uid then
  redis.call('HSET', chat, 'answered', 1)
end
local id = say(cid, partition, uid, body, history, rid)
redis.call('SET', sent, id, 'EX', life)
return id
