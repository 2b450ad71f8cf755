-- Purpose: keep a home timeline to its bound. The member `more` says that entries were left out below; its score, minus the
-- time of the newest cut in us, tells a rebuild whether anything was cut while it read. It sorts before every id.
local MORE, call = 'more', redis.call
local function cut(home, cap)
  call('ZADD', home, id_text(-now_us()), MORE)
  call('ZREMRANGEBYRANK', home, 1, -(cap + 1))
end
local function trim(home, cap, slack)
  if call('ZCARD', home) > cap + slack then cut(home, cap) end
end
