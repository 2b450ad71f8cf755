-- Purpose: one rate limit for every act.
-- KEYS: 1 = keys.limit   ARGV: 1 = burst, acts  2 = period, seconds
-- Returns: 0, or the seconds to wait   Errors: none   Writes: KEYS 1
-- include core/store/lua/includes/ids.lua
-- include core/web/lua/includes/gcra.lua
return take(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]))
