-- Purpose: answer a message with an emoji, or take that back. Again is no change.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = cid  2 = uid  3 = message id  4 = emoji  5 = 1 or 0  6 = CHAT_REACTIONS_MAX
-- Returns: 1, or 0 when that is so already   Errors: NOTINCHAT, NOMESSAGE, REACTIONSFULL   Writes: chat, reactions, changes
-- include chat/lua/includes/chat_context.lua
local cid, uid, id, emoji, on, most = unpack(ARGV)
if not belongs(uid) then return refuse('NOTINCHAT') end
local raw = redis.call('HGET', messages, id)
if not raw or tonumber(id) < first_of(uid) or cjson.decode(raw).gone then return refuse('NOMESSAGE') end
local all = cjson.decode(redis.call('HGET', reactions, id) or '{}')
local uids, kinds, place = all[emoji] or {}, 0, nil
for _ in pairs(all) do kinds = kinds + 1 end
for index, other in ipairs(uids) do
  if id_text(other) == uid then place = index end
end
if (on == '1') == (place ~= nil) then return 0 end
if on == '1' then
  if not uids[1] and kinds >= tonumber(most) then return refuse('REACTIONSFULL') end
  uids[#uids + 1] = tonumber(uid)
else
  table.remove(uids, place)
end
all[emoji] = uids[1] and uids or nil -- so that no list is ever empty, which JSON in Lua cannot tell from an object
if next(all) then redis.call('HSET', reactions, id, cjson.encode(all)) else redis.call('HDEL', reactions, id) end
changed(cid, id)
return 1
