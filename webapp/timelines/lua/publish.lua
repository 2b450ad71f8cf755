-- Purpose: add a status to a timeline that belongs to nobody, or to a list like it, or take it out.
-- KEYS: 1 = keys.public, keys.tagged or keys.filed  2 = keys.fences   (of one partition)
-- ARGV: 1 = source  2 = token  3 = entry  4 = id, or '' to take it out  5 = how many of the newest are kept
-- Returns: 1 when that changed something   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
local list, fences = KEYS[1], KEYS[2]
local source, token, entry, id, cap = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if id == '' then return redis.call('ZREM', list, entry) end
local added = redis.call('ZADD', list, id, entry)
redis.call('ZREMRANGEBYRANK', list, 0, -(tonumber(cap) + 1))
return added
