-- Purpose: tell whose statuses a member's home shows: not those of suspended members, of whom the member mutes or blocks, of
-- who blocks the member, or of who is on an exclusive list of theirs. statuses/visibility/policy.py says the same where authors come from
-- elsewhere. It gives a function of an author; none where nobody is hidden, as for most members. Include it after core/store/lua/includes/ids.lua.
local function sight(uid, suspended, mutes, blocks, blockers, aside)
  local some, own = redis.call('SCARD', suspended) > 0, redis.call('EXISTS', mutes, blocks, blockers, aside) > 0
  if not some and not own then return nil end
  local now, known = now_us() / 1000000, {[uid] = true}
  local function shown(author)
    if some and redis.call('SISMEMBER', suspended, author) == 1 then return false end
    if not own then return true end
    if redis.call('ZSCORE', blocks, author) or redis.call('ZSCORE', blockers, author) then return false end
    if redis.call('ZSCORE', aside, author) then return false end
    return tonumber(redis.call('ZSCORE', mutes, author) or 0) <= now
  end
  return function(author)
    if known[author] == nil then known[author] = shown(author) end
    return known[author]
  end
end

-- The newest 1,000 of each list: whom the member mutes or blocks, who blocks the member, and who is on exclusive lists.
local function out_of_sight(mutes, blocks, blockers, aside)
  local found = redis.call('ZRANGE', mutes, '+inf', now_us() / 1000000, 'BYSCORE', 'REV', 'LIMIT', 0, 1000)
  for _, list in ipairs({blocks, blockers, aside}) do
    for _, other in ipairs(redis.call('ZRANGE', list, -1000, -1)) do found[#found + 1] = other end
  end
  return found
end
