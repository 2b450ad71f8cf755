-- Scores of lists whose entries are ordered by time.

-- Return a score for a new entry of `list`: `ms` (by default the time, in unix ms), or one more
-- than the newest entry's. So no two entries share a score, and pages can be cut between any two.
local function next_score(list, ms)
  local newest = redis.call('ZRANGE', list, -1, -1, 'WITHSCORES')
  return id_text(math.max(ms or now_ms(), tonumber(newest[2] or 0) + 1))
end

-- Return `ms`, or the first number below it that is no entry's score in `list`: the list may hold
-- entries of later times, and an entry must not seem to be of the future.
local function free_score(list, ms)
  while redis.call('ZCOUNT', list, ms, ms) > 0 do ms = ms - 1 end
  return id_text(ms)
end
