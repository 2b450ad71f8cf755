-- Count a member who shares an item: on its day alone, if it comes too late for the rest. Doing it
-- again changes nothing.
--
-- KEYS     uses       timelines.trends.trend_uses(item)
--          hour       timelines.trends.trend_hour(item, hour)
--          day        timelines.trends.trend_day(item, day)
--          networks   timelines.trends.trend_networks(item, day)
-- ARGV     uid
--          entry       `status:uid:language`
--          id          of the post or boost
--          network     hash of the network it came from, or ''
--          limit       most uses of one item
--          hour_ends   when the hour's count expires, unix seconds
--          day_ends    when the day's count expires
--          use_ends    when uses and networks expire
-- RETURNS  the members who shared it within the hour; 0 if the use has expired
-- FENCED

redis.call('PFADD', day, uid)
redis.call('EXPIREAT', day, day_ends)
if tonumber(use_ends) * 1000 <= now_ms() then return 0 end
redis.call('ZADD', uses, id, entry)
redis.call('ZREMRANGEBYRANK', uses, 0, -(tonumber(limit) + 1))
redis.call('PFADD', hour, uid)
if network ~= '' then redis.call('PFADD', networks, network) end
local members = redis.call('PFCOUNT', hour)
-- An older use must not shorten the life of newer ones; a new key has no expiry: -1.
if redis.call('EXPIRETIME', uses) < tonumber(use_ends) then
  redis.call('EXPIREAT', uses, use_ends)
end
redis.call('EXPIREAT', networks, use_ends)
redis.call('EXPIREAT', hour, hour_ends)
return members
