-- Purpose: the generic cell rate algorithm, a leaky bucket kept as the time when it is empty (after Redis-Cell): 0, or the
-- seconds to wait. It needs ids.lua.
local function take(bucket, burst, period)
  local period_us, now = period * 1000000, now_us()
  local full_at = math.min(tonumber(redis.call('GET', bucket) or 0), now + period_us) -- a clock set back locks nobody out
  local empty_at = math.max(full_at, now) + period_us / burst
  local wait = empty_at - period_us - now
  if wait > 0 then return math.ceil(wait / 1000000) end
  redis.call('SET', bucket, id_text(empty_at), 'PX', math.ceil((empty_at - now) / 1000))
  return 0
end
