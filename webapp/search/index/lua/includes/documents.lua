-- Documents of the search index. `index` is what the keys of a generation and collection begin
-- with. A record has the tokens of a document between spaces, and after them its other terms.

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

-- Add a document, or bring it up to date. `terms` has a space between two of them. The oldest
-- leave if there are more than `limit`.
local function put_document(index, id, record, terms, limit)
  local former = redis.call('SET', index .. 'record:' .. id, record, 'GET')
  if former == record then return 0 end
  if former then remove_terms(index, id, former) end
  redis.call('ZADD', index .. 'ids', id, id)
  for term in string.gmatch(terms, '%S+') do
    redis.call('ZADD', index .. 'term:' .. term, id, id)
  end
  local excess = redis.call('ZCARD', index .. 'ids') - limit
  if excess > 0 then
    local oldest = redis.call('ZRANGE', index .. 'ids', 0, math.min(excess, 4) - 1)
    for _, old_id in ipairs(oldest) do remove_document(index, old_id) end
  end
  return 1
end
