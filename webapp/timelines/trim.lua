-- Purpose: keep a home timeline to its bound. The member `more` says that older entries were left out; its score, below 0, counts
-- how often, so that a rebuild sees whether something was trimmed while it read. It sorts before every id and is no entry.
local MORE, call = 'more', redis.call
local function cut(home, cap)
  call('ZINCRBY', home, -1, MORE)
  call('ZREMRANGEBYRANK', home, 1, -(cap + 1))
end
local function trim(home, cap, slack)
  if call('ZCARD', home) > cap + slack then cut(home, cap) end
end
