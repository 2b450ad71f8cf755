-- Purpose: take a like back, and tell the worker.
-- KEYS: 1 = keys.liked  2 = keys.acted  3 = keys.outbox   (of who liked it)
-- ARGV: 1 = uid  2 = id  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when it was not liked   Errors: OVERLOADED   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/interactions/lua/includes/record_interaction.lua
local liked, acted, outbox = unpack(KEYS)
local uid, id, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', liked, id) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', liked, id)
note_act(acted, id)
emit(outbox, partition, 'type', 'unliked', 'rid', rid, 'uid', uid, 'id', id)
return 1
