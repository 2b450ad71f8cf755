-- Take a like back, and emit `unliked`.
--
-- KEYS     likes    statuses.interactions.member_likes(uid)
-- ARGV     id    of the status
-- RETURNS  1, or 0 if it was not liked
-- EMITS    unliked
-- IDEMPOTENT

if not redis.call('ZSCORE', likes, id) then return 0 end
refuse_when_behind()

redis.call('ZREM', likes, id)
record_interaction(id)
emit('unliked', 'uid', uid, 'id', id)
return 1
