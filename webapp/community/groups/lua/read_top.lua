-- Read the posts of a group by time and votes, the highest first. They are computed once a minute.
--
-- KEYS     posts   statuses.visibility.group_posts(gid)
--          votes   community.groups.group_votes(gid)
--          top     community.groups.group_top(gid)
-- ARGV     weight    of a vote: units of ids
--          bound     '+inf' or '(score'
--          limit     entries
-- RETURNS  entries and their scores in turn
-- WRITES   top

local MINUTE = 60
if redis.call('EXISTS', top) == 0 then
  redis.call('ZINTERSTORE', top, 2, posts, votes, 'WEIGHTS', 1, weight)
  redis.call('EXPIRE', top, MINUTE)
end
return redis.call('ZRANGE', top, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, limit, 'WITHSCORES')
