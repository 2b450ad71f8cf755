-- Purpose: name the keys of a chat, and do what its scripts share. Their KEYS 1 to 12 are store.names.
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
local chat, members, owners, since, messages, reactions, changes, seen, fetched, invites, outbox, removed = unpack(KEYS, 1, 12)
local CHANGES_MAX = 1000
local function refuse(code) return redis.error_reply(code .. ' ' .. chat) end
local function nudge(...) redis.call('PUBLISH', 'chat', table.concat({...}, ' ')) end
local function field(name) return redis.call('HGET', chat, name) end
local function number(name) return tonumber(field(name) or 0) end
local function belongs(uid) return redis.call('ZSCORE', members, uid) end
local function owns(uid) return redis.call('SISMEMBER', owners, uid) == 1 end
-- The first message that a member may see.
local function first_of(uid) return tonumber(string.match(redis.call('HGET', since, uid) or '', '^%d+') or '') end
-- Messages and what was answered to them, in the order of their ids; at most a few thousand.
local function read(ids)
  local found = {}
  if not ids[1] then return found end
  local raws, answers = redis.call('HMGET', messages, unpack(ids)), redis.call('HMGET', reactions, unpack(ids))
  for index, id in ipairs(ids) do
    if raws[index] then found[#found + 1] = {id, raws[index], answers[index]} end
  end
  return found
end
local function range(first, last)
  local ids = {}
  for id = first, last do ids[#ids + 1] = id_text(id) end
  return ids
end
-- Notes that a message has changed, for those who come back, and tells those who are there.
local function changed(cid, id)
  redis.call('ZADD', changes, redis.call('HINCRBY', chat, 'rev', 1), id)
  local over = redis.call('ZCARD', changes) - CHANGES_MAX
  if over > 0 then redis.call('HSET', chat, 'told', redis.call('ZPOPMIN', changes, over)[2 * over]) end
  nudge('m', cid)
end
