-- Take a like back, and emit `unliked`.
--
-- KEYS     likes       zset: status id -> unix ms
--          recent      zset: what the member did within the last minute
--          outbox      stream
-- ARGV     uid
--          id          of the status
--          partition
--          outbox_max  events
--          request_id
-- RETURNS  1, or 0 if it was not liked
-- ERRORS   OVERLOADED
-- WRITES   all keys
-- include core/events/lua/includes/emit.lua
-- include statuses/interactions/lua/includes/record_interaction.lua

if not redis.call('ZSCORE', likes, id) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', likes, id)
record_interaction(recent, id)
emit(outbox, partition, 'type', 'unliked', 'rid', request_id, 'uid', uid, 'id', id)
return 1
