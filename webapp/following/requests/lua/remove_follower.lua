-- Remove a follower. The worker ends the follow in the follower's own partition.
--
-- KEYS     followers   following.followers(uid)
-- ARGV     uid        who is followed
--          follower
-- RETURNS  1, or 0 if they do not follow
-- EMITS    follower_removed

if not redis.call('ZSCORE', followers, follower) then return 0 end
refuse_when_behind()

redis.call('ZREM', followers, follower)
emit('follower_removed', 'uid', uid, 'target', follower)
return 1
