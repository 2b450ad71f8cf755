-- Purpose: give up a claim whose account was refused, so that the name is free at once.
-- KEYS[1] = keys.login   ARGV[1] = the claim
-- Returns: 1 when it was still there   Writes: KEYS[1]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
