-- Documents of the search index. `index` is the prefix of the keys of a generation and collection.
-- A record has the tokens of a document between spaces, and after them its other terms.

local TRIM_MAX = 24  -- documents

-- Return the generations that are written: the one that is read, and one that is being built.
local function generations(generation)
  local current, building = unpack(redis.call('HMGET', generation, 'current', 'building'))
  return {current or '1', building or nil}
end

local function remove_terms(index, id, record)
  for term in string.gmatch(record, '%S+') do redis.call('ZREM', index .. 'term:' .. term, id) end
end

local function remove_document(index, id)
  local record = redis.call('GETDEL', index .. 'record:' .. id)
  if not record then return 0 end
  remove_terms(index, id, record)
  redis.call('ZREM', index .. 'ids', id)
  for _, name in ipairs({'likes', 'boosts', 'replies', 'followers'}) do
    redis.call('ZREM', index .. name, id)
  end
  return 1
end

-- Add a document, or bring it up to date. `terms` has a space between two of them.
local function put_document(index, id, record, terms)
  local former = redis.call('SET', index .. 'record:' .. id, record, 'GET')
  if former == record then return 0 end
  if former then remove_terms(index, id, former) end
  redis.call('ZADD', index .. 'ids', id, id)
  for term in string.gmatch(terms, '%S+') do
    redis.call('ZADD', index .. 'term:' .. term, id, id)
  end
  return 1
end

-- Remove the oldest documents above `limit`, some at a time: a little more than one call adds.
local function trim_documents(index, limit)
  local excess = redis.call('ZCARD', index .. 'ids') - limit
  if excess <= 0 then return end
  local oldest = redis.call('ZRANGE', index .. 'ids', 0, math.min(excess, TRIM_MAX) - 1)
  for _, id in ipairs(oldest) do remove_document(index, id) end
end
