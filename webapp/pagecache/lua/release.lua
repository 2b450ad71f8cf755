-- Purpose: give a lease back without a page: for a moment, everybody renders their own.
-- KEYS: 1 = keys.page   ARGV: 1 = variant  2 = token  3 = the moment, ms
-- Returns: 1, or 0 when the lease is gone   Errors: none   Writes: KEYS 1
local page = KEYS[1]
local variant, token, moment = unpack(ARGV)
local held = redis.call('HGET', page, '=' .. variant)
if not held or held:match('^%S+') ~= token then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HDEL', page, variant) -- if there was one, it is no more
redis.call('HSET', page, '=' .. variant, string.format('- %.0f', now + moment))
if redis.call('HLEN', page) == 1 then redis.call('PEXPIRE', page, moment) end
return 1
