-- Purpose: take the boost of a status that is gone off its member's list and home; there is nobody to tell.
-- KEYS: 1 = keys.fences  2 = keys.boosts  3 = keys.home   (of who boosted it)
-- ARGV: 1 = source  2 = token  3 = uid  4 = `status:author`
-- Returns: 1, or 0 when it was not boosted   Errors: LEASELOST   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include statuses/interactions/lua/includes/undo_boost.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
return take_boost_back(KEYS[2], KEYS[3], ARGV[3], ARGV[4])
