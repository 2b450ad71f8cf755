-- Purpose: take a deleted status out of homes.
-- KEYS: 1 = keys.fences  2… = keys.home   ARGV: 1 = source  2 = token  3 = entry
-- Returns: how many homes had it   Errors: LEASELOST   Writes: all keys
-- include fence.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
local removed = 0
for index = 2, #KEYS do removed = removed + redis.call('ZREM', KEYS[index], ARGV[3]) end
return removed
