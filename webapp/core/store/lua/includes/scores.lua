-- Scores of lists whose entries are ordered by time.

-- Return a score for a new entry of `list`: `ms` (by default the time, in unix ms), or one more
-- than the newest entry's. So no two entries share a score, and pages can be cut between any two.
local function next_score(list, ms)
  local newest = redis.call('ZRANGE', list, -1, -1, 'WITHSCORES')
  return id_text(math.max(ms or now_ms(), tonumber(newest[2] or 0) + 1))
end

-- Return `score`, or the first number after it (`step` 1) or before it (-1) that is no entry's
-- score in `list`: the list may hold entries of later times, and an entry must not seem to be of
-- the future. A binary search, since as many entries may follow on each other as there are.
local function free_score(list, score, step)
  local low, high = 0, redis.call('ZCARD', list)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local last = score + step * middle
    local taken = redis.call('ZCOUNT', list, math.min(score, last), math.max(score, last))
    if taken > middle then low = middle + 1 else high = middle end
  end
  return id_text(score + step * low)
end
