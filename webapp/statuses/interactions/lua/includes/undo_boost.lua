-- Purpose: take a boost back: off its member's list and home, and tell the worker. Include after core/store/lua/includes/ids.lua and events.lua.
-- `name` is `status:author`, as keys.boosts has it.
local function boost_entry(id, uid, name)
  local status, author = string.match(name, '^(%d+):(%d+)$')
  return id .. ':' .. uid .. ':' .. author .. '=' .. status, status, author
end
local function take_boost_back(boosts, home, uid, name, outbox, partition, rid)
  local id = redis.call('ZSCORE', boosts, name)
  if not id then return 0 end
  local entry, status, author = boost_entry(id_text(tonumber(id)), uid, name)
  redis.call('ZREM', boosts, name)
  redis.call('ZREM', home, entry)
  if outbox then
    emit(outbox, partition, 'type', 'unboosted', 'rid', rid, 'id', id_text(tonumber(id)), 'uid', uid, 'target', status, 'author', author)
  end
  return 1
end
