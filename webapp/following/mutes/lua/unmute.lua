-- Unmute a member.
--
-- KEYS     mutes                 following.mutes(uid)
--          muted_notifications   following.muted_notifications(uid)
-- ARGV     target   whom to unmute
-- RETURNS  1, or 0 if they were not muted
-- EMITS    unmuted

if not redis.call('ZSCORE', mutes, target) then return 0 end
refuse_when_behind()

redis.call('ZREM', mutes, target)
redis.call('ZREM', muted_notifications, target)
emit('unmuted', 'uid', uid)
return 1
