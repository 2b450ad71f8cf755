-- Purpose: read what a member has pinned, whole.
-- KEYS: 1 = keys.pinned  2 = keys.status_prefix   ARGV: 1 = PINNED_MAX; then the fields to read
-- Returns: {id, the fields} each, the newest pin first   Writes: nothing
local found = {}
for index, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'REV')) do
  found[index] = {id, unpack(redis.call('HMGET', KEYS[2] .. id, unpack(ARGV, 2)), 1, #ARGV - 1)}
end
return found
