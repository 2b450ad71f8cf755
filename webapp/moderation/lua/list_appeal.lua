-- Put an appeal on the moderators' list, once. No two have the same time, so that pages can be cut
-- between any two.
--
-- KEYS     appeals   moderation.appeals()
-- ARGV     name   `uid.number` of the act
--          at     unix ms
-- RETURNS  1 if it is new there, else 0

if redis.call('ZSCORE', appeals, name) then return 0 end
return redis.call('ZADD', appeals, free_score(appeals, tonumber(at), 1), name)
