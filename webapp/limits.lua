-- Purpose: one rate limit for every act: the generic cell rate algorithm, a leaky bucket kept as one time (after Redis-Cell).
-- KEYS[1] = keys.limit   ARGV[1] = burst, acts   ARGV[2] = period, seconds
-- Returns: 0, or the seconds to wait   Errors: none   Writes: KEYS[1]
-- include ids.lua
local bucket, burst, period = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000000
local now = now_us()
local full_at = math.min(tonumber(redis.call('GET', bucket) or 0), now + period) -- a clock set back locks nobody out
local empty_at = math.max(full_at, now) + period / burst
local wait = empty_at - period - now
if wait > 0 then return math.ceil(wait / 1000000) end
redis.call('SET', bucket, id_text(empty_at), 'PX', math.ceil((empty_at - now) / 1000))
return 0
