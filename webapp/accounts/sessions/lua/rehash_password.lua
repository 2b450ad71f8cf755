-- Purpose: store a password at today's cost, unless it has been changed meanwhile.
-- KEYS[1] = keys.password   ARGV[1] = the old hash   ARGV[2] = the new one
-- Returns: 1 when it was stored   Writes: KEYS[1]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
