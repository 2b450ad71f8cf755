-- Undo boosts.

-- Return the entry in homes of the boost `id` by the member `uid`. `boosted` is `status:author`, as
-- in the member's list of boosts.
local function boost_entry(id, uid, boosted)
  local status, author = string.match(boosted, '^(%d+):(%d+)$')
  return id .. ':' .. uid .. ':' .. author .. '=' .. status
end

-- Remove a boost from its member's list and home. Return its id, nil if there was none.
local function remove_boost(boosts, home, boost_prefix, uid, boosted)
  local score = redis.call('ZSCORE', boosts, boosted)
  if not score then return nil end
  local id = id_text(tonumber(score))
  redis.call('ZREM', boosts, boosted)
  redis.call('DEL', boost_prefix .. id)
  redis.call('ZREM', home, boost_entry(id, uid, boosted))
  return id
end

-- Remove a boost and emit `unboosted`. Return 1, or 0 if there was none.
local function undo_boost(boosts, home, boost_prefix, uid, boosted)
  local id = remove_boost(boosts, home, boost_prefix, uid, boosted)
  if not id then return 0 end
  local status, author = string.match(boosted, '^(%d+):(%d+)$')
  emit('unboosted', 'id', id, 'uid', uid, 'status', status, 'author', author)
  return 1
end
