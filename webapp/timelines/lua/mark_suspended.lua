-- Purpose: note in a partition whether an author is suspended, for the script that reads homes there.
-- KEYS: 1 = keys.fences  2 = keys.suspended   ARGV: 1 = source  2 = token  3 = author  4 = 1 when suspended, 0 otherwise
-- Returns: 1 when that changed something   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
return redis.call(ARGV[4] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[3])
