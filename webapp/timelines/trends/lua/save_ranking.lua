-- Save a ranking, unless a newer one is there: a worker that was held up writes nothing.
--
-- KEYS     ranking   timelines.trends.trend_ranking()
-- ARGV     at     when it was computed, unix ms
--          json   the ranking
-- RETURNS  1 if the shown trends changed, else 0

local newest, stored = unpack(redis.call('HMGET', ranking, 'at', 'ranking'))
if newest and tonumber(newest) > tonumber(at) then return 0 end
redis.call('HSET', ranking, 'at', at, 'ranking', json)
return stored == json and 0 or 1
