-- Times of routes.

local ROUTES_MAX = 300

-- Add times to a hash. Return its mean.
local function add_timing_fields(key, found)
  local low, high = unpack(redis.call('HMGET', key, 'min', 'max'))
  if not low or tonumber(found.min) < tonumber(low) then
    redis.call('HSET', key, 'min', found.min)
  end
  if not high or tonumber(found.max) > tonumber(high) then
    redis.call('HSET', key, 'max', found.max)
  end
  redis.call('HINCRBYFLOAT', key, 'sumsq', found.sumsq)
  for bucket, count in pairs(found.buckets) do redis.call('HINCRBY', key, bucket, count) end
  local sum = redis.call('HINCRBYFLOAT', key, 'sum', found.sum)
  return sum / redis.call('HINCRBY', key, 'n', found.n)
end

-- Add the times of a route to this hour, this day, and all. Surplus routes share one.
local function add_timing(prefix, slow_prefix, route, found, seconds)
  local hour, day = math.floor(seconds / 3600), math.floor(seconds / 86400)
  for period, keep in pairs({all = 0, ['h' .. hour] = 26 * 3600, ['d' .. day] = 33 * 86400}) do
    local slow, name = slow_prefix .. period, route
    if redis.call('ZCARD', slow) >= ROUTES_MAX and not redis.call('ZSCORE', slow, route) then
      name = 'other'
    end
    local key = prefix .. name .. ':' .. period
    redis.call('ZADD', slow, add_timing_fields(key, found), name)
    if keep > 0 then
      redis.call('EXPIRE', key, keep)
      redis.call('EXPIRE', slow, keep)
    end
  end
end

