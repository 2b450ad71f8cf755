-- Remove a follower. The worker ends the follow in the follower's own partition.
--
-- KEYS     followers   zset: uid -> unix us
--          outbox      stream
-- ARGV     uid         who is followed
--          follower
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if they do not follow
-- ERRORS   OVERLOADED
-- WRITES   followers, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', followers, follower) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', followers, follower)
emit(outbox, partition, 'type', 'follower_removed', 'rid', request_id, 'uid', uid,
  'target', follower)
return 1
