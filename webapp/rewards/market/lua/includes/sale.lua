-- An item that may be for sale.
--
-- KEYS     item   rewards.items.item(id)

-- Return the fields of the item by name.
local function load_item()
  local flat, fields = redis.call('HGETALL', item), {}
  for at = 1, #flat, 2 do fields[flat[at]] = flat[at + 1] end
  return fields
end

-- Change fields of the item, given as names and values. Return its new version.
local function change(...)
  redis.call('HSET', item, ...)
  return redis.call('HINCRBY', item, 'version', 1)
end
