-- Purpose: begin to build a home anew: deliveries start at once, and until it is finished the home says that something is missing.
-- KEYS: 1 = keys.home  2 = keys.following  3 = keys.active  4 = keys.pulled   ARGV: 1 = uid
-- Returns: {mark, the followed authors, those of them who are merged at read time}   Writes: KEYS 1, 3
-- include ids.lua
local home, following, active, pulled = unpack(KEYS)
redis.call('ZADD', active, -math.floor(now_ms() / 1000), ARGV[1])
local mark = redis.call('ZINCRBY', home, -1, 'more')
return {mark, redis.call('ZRANGE', following, 0, -1), redis.call('ZINTER', 2, following, pulled)}
