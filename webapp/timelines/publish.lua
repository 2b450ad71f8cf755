-- Purpose: add a status to the public timeline, or take it out.
-- KEYS: 1 = keys.public  2 = keys.fences   ARGV: 1 = source  2 = token  3 = entry  4 = id, or '' to take it out  5 = PUBLIC_MAX
-- Returns: 1 when that changed something   Errors: LEASELOST   Writes: all keys
-- include fence.lua
local public, fences = KEYS[1], KEYS[2]
local source, token, entry, id, cap = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if id == '' then return redis.call('ZREM', public, entry) end
local added = redis.call('ZADD', public, id, entry)
redis.call('ZREMRANGEBYRANK', public, 0, -(tonumber(cap) + 1))
return added
