-- Purpose: count views of paths; once a period, halve them all, so that what was popular once makes room.
-- KEYS: 1 = keys.views  2 = keys.views_halved  3 = keys.page_counts
-- ARGV: 1 = paths counted at most  2 = period, seconds  3 = hits  4 = misses  then a path and its views, in turn
-- Returns: 1   Errors: none   Writes: all keys
local views, halved, counts = unpack(KEYS)
local most, period, hits, misses = unpack(ARGV)
for at = 5, #ARGV, 2 do redis.call('ZINCRBY', views, ARGV[at + 1], ARGV[at]) end
redis.call('ZREMRANGEBYRANK', views, 0, -(tonumber(most) + 1))
redis.call('HINCRBY', counts, 'hits', hits)
redis.call('HINCRBY', counts, 'misses', misses)
if redis.call('SET', halved, 1, 'NX', 'EX', period) then
  redis.call('ZUNIONSTORE', views, 1, views, 'WEIGHTS', 0.5)
  redis.call('ZREMRANGEBYSCORE', views, '-inf', 0.1)
end
return 1
