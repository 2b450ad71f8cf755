-- Remove a status from a member's bookmarks, and emit `unbookmarked` for the member's own search.
--
-- KEYS     bookmarks   zset: status id -> unix ms
--          outbox      stream
-- ARGV     uid
--          id          of the status
--          partition
--          outbox_max
--          request_id
-- RETURNS  1 if removed, 0 if there was none
-- ERRORS   OVERLOADED
-- WRITES   bookmarks, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', bookmarks, id) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end
redis.call('ZREM', bookmarks, id)
emit(outbox, partition, 'type', 'unbookmarked', 'rid', request_id, 'uid', uid, 'id', id)
return 1
