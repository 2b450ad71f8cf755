-- Delete the timelines that nobody has read for some time. The next visit rebuilds them.
--
-- KEYS     active      zset: name -> last visit, unix seconds, or minus that
--          timelines   the beginning of their keys, which ends with the name
-- ARGV     max_age   seconds since the last visit
--          limit     most timelines to delete
-- RETURNS  the number of timelines deleted

local oldest = math.floor(now_ms() / 1000) - tonumber(max_age)
local expired = redis.call('ZRANGE', active, -oldest, oldest, 'BYSCORE', 'LIMIT', 0, limit)
for _, name in ipairs(expired) do
  redis.call('ZREM', active, name)
  redis.call('UNLINK', timelines .. name)
end
return #expired
