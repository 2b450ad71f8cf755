-- Hide a trend from a member. Doing it again changes nothing.
--
-- KEYS     hidden   timelines.trends.hidden_trends(uid)
-- ARGV     item
--          limit   most hidden trends of one member; the oldest go
-- RETURNS  1 if it is hidden now, 0 if it was already
-- ERRORS   NOMEMBER, SUSPENDED

require_active()
if redis.call('ZSCORE', hidden, item) then return 0 end
redis.call('ZADD', hidden, next_score(hidden), item)
redis.call('ZREMRANGEBYRANK', hidden, 0, -(tonumber(limit) + 1))
return 1
