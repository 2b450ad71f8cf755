-- Purpose: what a home's reader did with the statuses that its entries show, in their own lists: the ids of what they like,
-- have bookmarked and boost, each vote after its poll's id, and the ids of what they did lately. Include it after
-- timelines/lua/includes/parse_entry.lua.
local function acts(entries, liked, bookmarks, boosts, voted, acted)
  local ids, members, shown, votes, lately = {}, {}, {}, {}, {}
  if #entries == 0 or redis.call('EXISTS', liked, bookmarks, boosts, voted, acted) == 0 then return {{}, {}, {}, {}, {}} end
  for at, entry in ipairs(entries) do
    local id, author, _, boosted, status = parse(entry)
    ids[at], members[at] = status or id, (status or id) .. ':' .. (boosted or author)
    shown[ids[at]] = true
  end
  local function there(list, asked)
    local found = {}
    if redis.call('EXISTS', list) == 0 then return found end
    for at, score in ipairs(redis.call('ZMSCORE', list, unpack(asked))) do
      if score then found[#found + 1] = ids[at] end
    end
    return found
  end
  if redis.call('EXISTS', voted) == 1 then
    for at, bits in ipairs(redis.call('HMGET', voted, unpack(ids))) do
      if bits then votes[#votes + 1], votes[#votes + 2] = ids[at], bits end
    end
  end
  for _, id in ipairs(redis.call('ZRANGE', acted, 0, -1)) do
    if shown[id] then lately[#lately + 1] = id end
  end
  return {there(liked, ids), there(bookmarks, ids), there(boosts, members), votes, lately}
end
