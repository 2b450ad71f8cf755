-- Add a status to a timeline that is shared by all, or to another list of its form, or remove it.
--
-- KEYS     timeline   zset: entry -> id
--          fences     hash: the newest token of each source, in the same partition
-- ARGV     source
--          token
--          entry
--          id         '' to remove the entry
--          limit      most entries of the timeline
-- RETURNS  1 if that changed something, else 0
-- ERRORS   LEASELOST
-- WRITES   timeline, fences
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if id == '' then return redis.call('ZREM', timeline, entry) end
local added = redis.call('ZADD', timeline, id, entry)
redis.call('ZREMRANGEBYRANK', timeline, 0, -(tonumber(limit) + 1))
return added
