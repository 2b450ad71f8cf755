-- The generic cell rate algorithm, a leaky bucket stored as the time at which it is empty
-- (as in Redis-Cell).
-- include core/store/lua/includes/ids.lua

-- Add one action, or `actions`, to the bucket at key `bucket`, which holds `burst` and empties in
-- `period` seconds. Return 0, or the seconds to wait if it is full. More than `burst` fill it.
local function consume(bucket, burst, period, actions)
  local now, period_us = now_us(), period * 1000000
  -- Bounded, so that a clock that is set back locks nobody out.
  local was_empty_at = math.min(tonumber(redis.call('GET', bucket) or 0), now + period_us)
  local filling = math.min(actions or 1, burst) * period_us / burst
  local empty_at = math.max(was_empty_at, now) + filling
  local wait = empty_at - period_us - now
  if wait > 0 then return math.ceil(wait / 1000000) end
  redis.call('SET', bucket, id_text(empty_at), 'PX', math.ceil((empty_at - now) / 1000))
  return 0
end
