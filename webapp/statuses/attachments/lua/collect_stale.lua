-- Purpose: name pictures that no status came to show, or shows any more, and see that none will: their files are to go.
-- KEYS: 1 = keys.uploads
-- ARGV: 1 = how long a picture may wait for its status, ms  2 = how many at most
-- Returns: names   Writes: all keys
-- include core/store/lua/includes/ids.lua
local names = redis.call('ZRANGE', KEYS[1], 0, id_text(now_ms() - ARGV[1]), 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, name in ipairs(names) do redis.call('ZADD', KEYS[1], 0, name) end
return names
