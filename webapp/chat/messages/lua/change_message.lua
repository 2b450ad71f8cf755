-- Purpose: edit one's own message, or delete one for everybody: one's own, or any as an owner.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = cid  2 = partition  3 = uid  4 = message id  5 = the message as it was read, '' to delete  6 = what it becomes, JSON
--       7 = for how long it may be edited, ms  8 = OUTBOX_MAX
-- Returns: 1, or 0 when it is deleted already   Errors: NOTINCHAT, NOMESSAGE, NOTYOURS, ONLYOWNERS, TOOLATE, MESSAGECHANGED, OVERLOADED
-- Writes: chat, messages, reactions, changes, outbox
-- include chat/lua/includes/trim_history.lua
local cid, partition, uid, id, was, body, window, max = unpack(ARGV)
if not belongs(uid) then return refuse('NOTINCHAT') end
local raw = redis.call('HGET', messages, id)
if not raw or tonumber(id) < first_of(uid) then return refuse('NOMESSAGE') end
local message, now = cjson.decode(raw), now_ms()
local mine = id_text(message.by) == uid
if not mine and (was ~= '' or not owns(uid)) then return refuse('NOTYOURS') end
if was ~= '' and field('kind') == 'announcement' and not owns(uid) then return refuse('ONLYOWNERS') end
if message.gone then return was == '' and 0 or refuse('NOMESSAGE') end
local head = '{"by":' .. id_text(message.by) .. ',"at":' .. id_text(message.at)
if was ~= '' then
  if now - message.at > tonumber(window) then return refuse('TOOLATE') end
  if raw ~= was then return refuse('MESSAGECHANGED') end
  redis.call('HSET', messages, id, head .. ',"edited":' .. id_text(now) .. ',' .. string.sub(body, 2))
else
  local refusal = behind(outbox, max)
  if refusal then return refusal end
  redis.call('HSET', messages, id, head .. ',"gone":' .. id_text(now) .. '}')
  redis.call('HDEL', reactions, id)
  sweep(cid, partition, pictures_in({raw}))
end
changed(cid, id)
return 1
