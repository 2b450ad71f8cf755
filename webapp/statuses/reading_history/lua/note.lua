-- Note that a member opened a post, if they keep what they open.
-- What they opened before the last clearing is left out.
--
-- KEYS     user     accounts.user(uid)
--          viewed   statuses.reading_history.viewed(uid)
-- ARGV     id
--          at       unix ms, by the clock of the web process
--          limit    most posts, the oldest goes
-- RETURNS  1 if noted, or 0
-- WRITES   viewed

local since = tonumber(redis.call('HGET', user, 'viewed_since'))
if not since or tonumber(at) < since then return 0 end
redis.call('ZADD', viewed, next_score(viewed), id)
redis.call('ZREMRANGEBYRANK', viewed, 0, -1 - tonumber(limit))
return 1
