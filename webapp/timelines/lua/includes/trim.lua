-- Trim a home timeline to its bound, HOME_MAX (`webapp/limits.py`). Every script that adds to homes
-- includes this file.
--
-- The member `more` says that entries below were left out. Its score is minus the time of the
-- newest cut, in us, so it sorts before every id, and a rebuild sees a cut made while it read.

-- Drop all but the newest `limit` entries of `home`, and mark it.
local function cut_home(home, limit)
  redis.call('ZADD', home, id_text(-now_us()), 'more')
  redis.call('ZREMRANGEBYRANK', home, 1, -(limit + 1))
end

-- The same, once there are `slack` more.
local function trim(home, limit, slack)
  if redis.call('ZCARD', home) > limit + slack then cut_home(home, limit) end
end
