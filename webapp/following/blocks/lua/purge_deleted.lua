-- Purpose: take a deleted account off others' lists of blocks, or of blockers, in one partition.
-- KEYS: 1 = keys.fences; then such lists of one partition
-- ARGV: 1 = source  2 = token  3 = the deleted member's uid
-- Returns: how many lists it stood on   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
local forgotten = 0
for list = 2, #KEYS do forgotten = forgotten + redis.call('ZREM', KEYS[list], ARGV[3]) end
return forgotten
