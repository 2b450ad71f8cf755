-- Candidates of a query: the documents of its rarest condition, newest first.
-- `index` is the prefix of the keys of a generation and collection.
-- include search/query/lua/includes/read_index.lua

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
  local best, least = {[index .. 'ids'] = true}, nil
  for _, clause in ipairs(clauses) do
    local keys, total = {}, 0
    for _, variant in ipairs(clause.negated and {} or clause.variants) do
      local key, size = rarest(index, variant)
      keys[key], total = true, total + size
    end
    if not clause.negated and (not least or total < least) then best, least = keys, total end
  end
  return best[index .. 'ids'] and {[index .. 'ids'] = true} or best
end

-- Return the next ids below `top` of all these keys, newest first, and the lowest id that was
-- looked at; nil if there are no more. `spent.work` counts the entries that were read.
local function next_block(keys, top, oldest, size, spent)
  local ids, is_new, floor = {}, {}, nil
  for key in pairs(keys) do
    local found = redis.call('ZRANGE', key, top, oldest, 'BYSCORE', 'REV', 'LIMIT', 0, size)
    for _, id in ipairs(found) do is_new[id] = true end
    spent.work = spent.work + #found
    local last = #found == size and tonumber(found[size])
    if last and (not floor or last > floor) then floor = last end
  end
  for id in pairs(is_new) do
    if not floor or tonumber(id) >= floor then ids[#ids + 1] = id end
  end
  table.sort(ids, function(a, b) return tonumber(a) > tonumber(b) end)
  local is_cut = #ids > size
  for place = #ids, size + 1, -1 do ids[place] = nil end
  return ids, (floor or is_cut) and ids[#ids]
end
