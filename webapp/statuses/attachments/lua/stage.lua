-- Purpose: list pictures whose files are about to be written, so that they go if no status comes to show them.
-- KEYS: 1 = keys.uploads
-- ARGV: names
-- Returns: 1   Writes: all keys
-- include core/store/lua/includes/ids.lua
local now = id_text(now_ms())
for _, name in ipairs(ARGV) do redis.call('ZADD', KEYS[1], now, name) end
return 1
