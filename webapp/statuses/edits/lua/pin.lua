-- Pin a member's own status to the profile, and emit `pinned`. The status says so too, for its
-- author's buttons.
--
-- KEYS     pinned   statuses.edits.pinned_statuses(uid)
--          status   statuses.status(id)
-- ARGV     limit   config.pinned_max   most pins of one member
-- RETURNS  1, or 0 if it was pinned already
-- ERRORS   NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED, PINSFULL
-- EMITS    pinned

local author, visibility = unpack(redis.call('HMGET', status, 'author', 'visibility'))
require_own(uid, id, author, visibility, member)
require_active()
if redis.call('ZSCORE', pinned, id) then return 0 end
if redis.call('ZCARD', pinned) >= tonumber(limit) then refuse('PINSFULL', limit) end
refuse_when_behind()

redis.call('ZADD', pinned, next_score(pinned), id)
redis.call('HSET', status, 'pinned', 1)
emit('pinned', 'uid', uid, 'id', id)
return 1
