-- Adding points to cells.

-- Add a point to a cell, in place of where it was. The oldest points go.
local function add_point(points, times, member, lat, long, added, keep, limit)
  local now = tonumber(redis.call('TIME')[1])
  redis.call('ZADD', times, added == '' and now or added, member)
  redis.call('GEOADD', points, long, lat, member)
  local old = redis.call('ZRANGE', times, '-inf', now - keep, 'BYSCORE', 'LIMIT', 0, 1000)
  local excess = redis.call('ZCARD', times) - #old - tonumber(limit)
  if excess > 0 then
    old = redis.call('ZRANGE', times, 0, #old + math.min(excess, 1000) - 1)
  end
  if #old > 0 then
    redis.call('ZREM', points, unpack(old))
    redis.call('ZREM', times, unpack(old))
  end
  redis.call('EXPIRE', points, keep)
  redis.call('EXPIRE', times, keep)
end
