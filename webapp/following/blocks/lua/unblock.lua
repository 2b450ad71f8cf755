-- Unblock a member. Follows that the block ended do not come back.
--
-- KEYS     blocks   following.blocks(uid)
-- ARGV     target   whom to unblock
-- RETURNS  1, or 0 if they were not blocked
-- EMITS    unblocked

if not redis.call('ZSCORE', blocks, target) then return 0 end
refuse_when_behind()

redis.call('ZREM', blocks, target)
emit('unblocked', 'uid', uid, 'target', target)
return 1
