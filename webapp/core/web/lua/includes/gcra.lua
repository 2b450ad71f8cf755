-- The generic cell rate algorithm, a leaky bucket stored as the time at which it is empty
-- (as in Redis-Cell).

local function set_empty_at(bucket, empty_at, now)
  redis.call('SET', bucket, id_text(empty_at), 'PX', math.ceil((empty_at - now) / 1000))
end

-- Add one action, or `actions`, to the bucket at key `bucket`, which holds `burst` and empties in
-- `period` seconds. Return 0, or the seconds to wait if it is full. More than `burst` fill it.
local function consume(bucket, burst, period, actions)
  local now, period_us = now_us(), period * 1000000
  local stored = tonumber(redis.call('GET', bucket) or 0)
  -- A later time comes from a slower rate or a clock that was ahead. It is written back, so that
  -- the bucket begins to empty now.
  local was_empty_at = math.min(stored, now + period_us)
  local empty_at = math.max(was_empty_at, now) + math.min(actions or 1, burst) * period_us / burst
  local wait = empty_at - period_us - now
  if wait <= 0 then
    set_empty_at(bucket, empty_at, now)
  elseif stored > was_empty_at then
    set_empty_at(bucket, was_empty_at, now)
  end
  return wait > 0 and math.ceil(wait / 1000000) or 0
end
