-- Candidates of a query, newest first.

-- Return ids from `newest` down to `oldest`, at most `size`, the newest first; and the lowest id
-- that was looked at, nil if there are no more. Without `terms` all ids count.
local function next_messages(postings, terms, newest, oldest, size)
  local ids, is_new, floor = {}, {}, nil
  if not terms then
    floor = math.max(newest - size + 1, oldest)
    for id = newest, floor, -1 do ids[#ids + 1] = id end
    return ids, floor > oldest and floor or nil
  end
  for _, term in ipairs(terms) do
    local top, bottom = '[' .. term .. posting_end(newest), '[' .. term .. posting_end(oldest)
    local found = redis.call('ZRANGE', postings, top, bottom, 'BYLEX', 'REV', 'LIMIT', 0, size)
    for place, posting in ipairs(found) do
      local id = tonumber(string.match(posting, '%d+$'))
      is_new[id] = true
      if place == size then floor = math.max(floor or id, id) end
    end
  end
  for id in pairs(is_new) do
    if not floor or id >= floor then ids[#ids + 1] = id end
  end
  table.sort(ids, function(left, right) return left > right end)
  if #ids > size then floor = ids[size] end
  for place = #ids, size + 1, -1 do ids[place] = nil end
  return ids, floor
end
