-- Purpose: make the next status id of a partition later than one that was written directly.
-- KEYS: 1 = keys.last_id   ARGV: 1 = id
-- Returns: 1 when that raised it   Writes: KEYS[1]
local last, id = KEYS[1], ARGV[1]
local before = redis.call('GET', last)
if before and tonumber(before) >= tonumber(id) then return 0 end
redis.call('SET', last, id)
return 1
