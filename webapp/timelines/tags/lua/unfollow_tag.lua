-- Unfollow a hashtag, and emit the change for open streams. Doing it again changes nothing.
--
-- KEYS     tags        zset: name -> unix ms
--          outbox      stream
-- ARGV     uid
--          name
--          partition
--          outbox_max
--          request_id
-- RETURNS  1 if unfollowed now, 0 if it was not followed
-- ERRORS   OVERLOADED
-- WRITES   tags, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', tags, name) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end
redis.call('ZREM', tags, name)
emit(outbox, partition, 'type', 'tags_changed', 'rid', request_id, 'uid', uid)
return 1
