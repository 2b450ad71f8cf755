-- Replace an author's statuses on the public timeline. Without ids they all leave it.
--
-- KEYS     public   timelines.public_timeline()
-- ARGV     author   uid
--          limit    most entries of the timeline
--          ids...   of the author's public statuses, newest first
-- RETURNS  the number of entries now
-- FENCED

purge_author_from_home(public, author)
for _, id in ipairs(ids) do redis.call('ZADD', public, id, id .. ':' .. author) end
redis.call('ZREMRANGEBYRANK', public, 0, -(tonumber(limit) + 1))
return redis.call('ZCARD', public)
