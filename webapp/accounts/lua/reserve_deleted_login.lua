-- Purpose: keep the login of a deleted account from others for a while; then it is free.
-- KEYS[1] = keys.login   ARGV: 1 = uid  2 = how long, seconds
-- Returns: 1 when the time begins now   Writes: KEYS[1]
local claim = redis.call('GET', KEYS[1])
if not claim or string.match(claim, '^%d+') ~= ARGV[1] then return 0 end
return redis.call('EXPIRE', KEYS[1], ARGV[2], 'NX')
