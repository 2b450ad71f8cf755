-- Candidates of a query: the documents of its rarest condition, newest first.
-- `index` is what the keys of a generation and collection begin with.

local function read_index(generation, prefix, collection)
  return prefix .. (redis.call('HGET', generation, 'current') or '1') .. ':' .. collection .. ':'
end

-- Return the key of a variant's rarest term, and its size. Without terms, all documents are.
local function rarest(index, variant)
  local key, size = index .. 'ids', nil
  for _, term in ipairs(variant.terms) do
    local count = redis.call('ZCARD', index .. 'term:' .. term)
    if not size or count < size then key, size = index .. 'term:' .. term, count end
  end
  return key, size or redis.call('ZCARD', key)
end

-- Return the keys whose documents can match: those of the condition with the fewest.
local function sources(index, clauses)
  local best, least = {index .. 'ids'}, nil
  for _, clause in ipairs(clauses) do
    local keys, total = {}, 0
    for _, variant in ipairs(clause.negated and {} or clause.variants) do
      local key, size = rarest(index, variant)
      keys[#keys + 1], total = key, total + size
    end
    if not clause.negated and (not least or total < least) then best, least = keys, total end
  end
  return best
end

-- Return the next ids below `top` of all these keys, newest first, and the lowest id that was
-- looked at; nil if there are no more.
local function next_block(keys, top, oldest, size)
  local ids, is_new, floor = {}, {}, nil
  for _, key in ipairs(keys) do
    local found = redis.call('ZRANGE', key, top, oldest, 'BYSCORE', 'REV', 'LIMIT', 0, size)
    for _, id in ipairs(found) do is_new[id] = true end
    local last = #found == size and tonumber(found[size])
    if last and (not floor or last > floor) then floor = last end
  end
  for id in pairs(is_new) do
    if not floor or tonumber(id) >= floor then ids[#ids + 1] = id end
  end
  table.sort(ids, function(a, b) return tonumber(a) > tonumber(b) end)
  return ids, floor and ids[#ids]
end
