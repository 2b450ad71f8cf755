-- Unmute a member.
--
-- KEYS     mutes                zset: uid -> until when, unix seconds
--          muted_notifications  zset: the same
--          outbox               stream
-- ARGV     uid
--          target               whom to unmute
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if they were not muted
-- ERRORS   OVERLOADED
-- WRITES   mutes, muted_notifications, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', mutes, target) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', mutes, target)
redis.call('ZREM', muted_notifications, target)
emit(outbox, partition, 'type', 'unmuted', 'rid', request_id, 'uid', uid)
return 1
