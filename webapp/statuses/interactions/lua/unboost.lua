-- Purpose: take a boost back, and tell the worker.
-- KEYS: 1 = keys.boosts  2 = keys.acted  3 = keys.outbox  4 = keys.home   (of who boosted it)
-- ARGV: 1 = uid  2 = the status  3 = its author's uid  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when it was not boosted   Errors: OVERLOADED   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/interactions/lua/includes/record_interaction.lua
-- include statuses/interactions/lua/includes/undo_boost.lua
local boosts, acted, outbox, home = unpack(KEYS)
local uid, status, author, partition, max, rid = unpack(ARGV)
local name = status .. ':' .. author
if not redis.call('ZSCORE', boosts, name) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
note_act(acted, status)
return take_boost_back(boosts, home, uid, name, outbox, partition, rid)
