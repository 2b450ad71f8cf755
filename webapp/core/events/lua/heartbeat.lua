-- Purpose: say that a worker lives, forget those that have been silent, and count the others, all by the store's clock.
-- KEYS[1] = keys.workers   ARGV[1] = owner   ARGV[2] = silence, seconds
-- Returns: how many workers live   Writes: KEYS[1]
-- include core/store/lua/includes/ids.lua
local now = now_ms() / 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 1, '+inf') -- from before the clock was set back
redis.call('ZADD', KEYS[1], now, ARGV[1])
return redis.call('ZCARD', KEYS[1])
