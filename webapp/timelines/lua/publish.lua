-- Add a status to a timeline that is shared by all, or to another list of its form, or remove it.
--
-- KEYS     timeline   zset: entry -> id
-- ARGV     entry
--          id      '' to remove the entry
--          limit   most entries of the timeline
-- RETURNS  1 if that changed something, else 0
-- WRITES   timeline
-- FENCED

if id == '' then return redis.call('ZREM', timeline, entry) end
local added = redis.call('ZADD', timeline, id, entry)
redis.call('ZREMRANGEBYRANK', timeline, 0, -(tonumber(limit) + 1))
return added
