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
-- A follow that begins later stays. Clocks of other partitions may be ahead.
local until_us = id_text(now_us() + AHEAD_MS * 1000)
emit('follower_removed', 'uid', uid, 'target', follower, 'until', until_us)
return 1
