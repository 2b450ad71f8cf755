-- Like a status, and emit `liked`. Above the limit the oldest like is taken back, as if by hand.
--
-- KEYS     likes      statuses.interactions.member_likes(uid)
-- ARGV     id       of the status
--          author   uid of its author
--          limit    config.likes_max   most likes of one member
-- RETURNS  1, or 0 if it was liked already
-- ERRORS   NOMEMBER, SUSPENDED, CANNOTLIKE
-- EMITS    liked, unliked
-- IDEMPOTENT

require_active()
if redis.call('ZSCORE', likes, id) then return 0 end
require_no_block('CANNOTLIKE', author)
refuse_when_behind()

redis.call('ZADD', likes, next_score(likes), id)
record_interaction(id)
emit('liked', 'uid', uid, 'id', id, 'author', author)

-- One too many; more once the limit is lowered.
local excess = math.min(redis.call('ZCARD', likes) - tonumber(limit), 10)
if excess > 0 then
  for _, oldest in ipairs(redis.call('ZRANGE', likes, 0, excess - 1)) do
    redis.call('ZREM', likes, oldest)
    emit('unliked', 'uid', uid, 'id', oldest)
  end
end
return 1
