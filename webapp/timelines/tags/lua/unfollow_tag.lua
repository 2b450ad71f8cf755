-- Unfollow a hashtag, and emit the change for open streams. Doing it again changes nothing.
--
-- KEYS     tags   timelines.followed_tags(uid)
-- ARGV     uid
--          name
-- RETURNS  1 if unfollowed now, 0 if it was not followed
-- ERRORS   OVERLOADED
-- WRITES   tags
-- EMITS    tags_changed

if not redis.call('ZSCORE', tags, name) then return 0 end
local refusal = behind()
if refusal then return refusal end
redis.call('ZREM', tags, name)
emit('tags_changed', 'uid', uid)
return 1
