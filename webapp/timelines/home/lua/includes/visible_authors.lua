-- The authors whom a member's home shows.

-- Return a function that tells whether a member's home shows an author. It hides suspended members,
-- members whom `uid` blocks or mutes or has on an exclusive list, and members who block `uid`.
-- Return nil if it hides nobody, as for most members.
local function visible_authors(uid, suspended, mutes, blocks, blockers, excluded)
  local any_suspended = redis.call('SCARD', suspended) > 0
  local any_hidden = redis.call('EXISTS', mutes, blocks, blockers, excluded) > 0
  if not any_suspended and not any_hidden then return nil end
  local now = now_us() / 1000000
  local function look_up(author)
    if any_suspended and redis.call('SISMEMBER', suspended, author) == 1 then return false end
    if not any_hidden then return true end
    local is_muted = redis.call('ZSCORE', excluded, author)
      or tonumber(redis.call('ZSCORE', mutes, author) or 0) > now
    local is_blocking, is_blocked_by =
      redis.call('ZSCORE', blocks, author), redis.call('ZSCORE', blockers, author)
    return exposure(is_blocking, is_blocked_by, is_muted) == 'in_timelines'
  end
  local cached = {[uid] = true}
  return function(author)
    if cached[author] == nil then cached[author] = look_up(author) end
    return cached[author]
  end
end

-- Return those of some authors for whom `is_visible` is true.
local function select_visible(authors, is_visible)
  local selected = {}
  for _, author in ipairs(authors) do
    if is_visible(author) then selected[#selected + 1] = author end
  end
  return selected
end

-- Return the newest 1,000 hidden members of each list.
local function hidden_authors(mutes, blocks, blockers, excluded)
  local now = now_us() / 1000000
  local hidden = redis.call('ZRANGE', mutes, '+inf', now, 'BYSCORE', 'REV', 'LIMIT', 0, 1000)
  for _, list in ipairs({blocks, blockers, excluded}) do
    for _, uid in ipairs(redis.call('ZRANGE', list, -1000, -1)) do hidden[#hidden + 1] = uid end
  end
  return hidden
end
