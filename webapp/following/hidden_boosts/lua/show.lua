-- Show a member's boosts on another member's home again.
--
-- KEYS     hidden_boosts   zset: uid -> unix ms
--          outbox          stream
-- ARGV     uid
--          target          whose boosts to show
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if they were not hidden
-- ERRORS   OVERLOADED
-- WRITES   hidden_boosts, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', hidden_boosts, target) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', hidden_boosts, target)
emit(outbox, partition, 'type', 'boosts_shown', 'rid', request_id, 'uid', uid)
return 1
