-- Return a member's actions on the statuses of some home entries: {ids they like, ids they have
-- bookmarked, ids they boost, ids and votes in turn, ids of recent interactions}. Include
-- timelines/lua/includes/parse_entry.lua before it.
local function viewer_state(entries, likes, bookmarks, boosts, votes, recent)
  if #entries == 0 then return {{}, {}, {}, {}, {}} end
  if redis.call('EXISTS', likes, bookmarks, boosts, votes, recent) == 0 then
    return {{}, {}, {}, {}, {}}
  end
  local ids, boost_members, on_page = {}, {}, {}
  for i, entry in ipairs(entries) do
    local id, author, _, boosted_author, status_id = parse_entry(entry)
    ids[i] = status_id or id
    boost_members[i] = ids[i] .. ':' .. (boosted_author or author)
    on_page[ids[i]] = true
  end
  local function ids_in(list, members)
    local present = {}
    if redis.call('EXISTS', list) == 0 then return present end
    for i, score in ipairs(redis.call('ZMSCORE', list, unpack(members))) do
      if score then present[#present + 1] = ids[i] end
    end
    return present
  end
  local voted, recent_ids = {}, {}
  if redis.call('EXISTS', votes) == 1 then
    for i, options in ipairs(redis.call('HMGET', votes, unpack(ids))) do
      if options then voted[#voted + 1], voted[#voted + 2] = ids[i], options end
    end
  end
  for _, id in ipairs(redis.call('ZRANGE', recent, 0, -1)) do
    if on_page[id] then recent_ids[#recent_ids + 1] = id end
  end
  local boosted = ids_in(boosts, boost_members)
  return {ids_in(likes, ids), ids_in(bookmarks, ids), boosted, voted, recent_ids}
end
