-- Remove the boost of a deleted status from its member's lists and home. No event.
--
-- KEYS     fences   hash
--          boosts   zset: status:author -> id of the boost
--          home     zset: the member's home
--          shared   zset: what the member shares, by id
-- ARGV     source   of the fence
--          token    of the fence
--          uid      who boosts
--          boosted  status:author
-- RETURNS  1, or 0 if it was not boosted
-- ERRORS   LEASELOST
-- WRITES   all keys
-- include core/events/lua/includes/fence.lua
-- include statuses/interactions/lua/includes/undo_boost.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local id = remove_boost(boosts, home, uid, boosted)
if not id then return 0 end
redis.call('ZREMRANGEBYSCORE', shared, id, id)
return 1
