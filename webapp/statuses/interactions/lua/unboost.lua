-- Take a boost back, and emit `unboosted`.
--
-- KEYS     boosts      zset: status:author -> id of the boost
--          recent      zset: what the member did within the last minute
--          outbox      stream
--          home        zset: the member's home
-- ARGV     uid
--          id          of the status
--          author      uid of its author
--          partition
--          outbox_max  events
--          request_id
-- RETURNS  1, or 0 if it was not boosted
-- ERRORS   OVERLOADED
-- WRITES   all keys
-- include core/events/lua/includes/emit.lua
-- include statuses/interactions/lua/includes/record_interaction.lua
-- include statuses/interactions/lua/includes/undo_boost.lua

local boosted = id .. ':' .. author
if not redis.call('ZSCORE', boosts, boosted) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

record_interaction(recent, id)
return undo_boost(boosts, home, uid, boosted, outbox, partition, request_id)
