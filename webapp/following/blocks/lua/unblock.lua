-- Unblock a member. Follows that the block ended do not come back.
--
-- KEYS     blocks      zset: uid -> unix ms
--          outbox      stream
-- ARGV     uid
--          target      whom to unblock
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if they were not blocked
-- ERRORS   OVERLOADED
-- WRITES   blocks, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', blocks, target) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', blocks, target)
emit(outbox, partition, 'type', 'unblocked', 'rid', request_id, 'uid', uid, 'target', target)
return 1
