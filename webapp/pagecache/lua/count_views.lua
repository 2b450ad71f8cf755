-- Count views of paths. Halve all counts once a period, so that old favourites make room.
--
-- KEYS     views    pagecache.page_views()
--          halved   pagecache.page_views_halved()
-- ARGV     paths_max       most paths counted
--          period          seconds
--          increments...   path, views, path, views …

for index = 1, #increments, 2 do
  redis.call('ZINCRBY', views, increments[index + 1], increments[index])
end
redis.call('ZREMRANGEBYRANK', views, 0, -(tonumber(paths_max) + 1))
if redis.call('SET', halved, 1, 'NX', 'EX', period) then
  redis.call('ZUNIONSTORE', views, 1, views, 'WEIGHTS', 0.5)
  redis.call('ZREMRANGEBYSCORE', views, '-inf', 0.1)
end
return 1
