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
local refusal = require_own(uid, id, author, visibility, member) or require_active()
if refusal then return refusal end
if redis.call('ZSCORE', pinned, id) then return 0 end
if redis.call('ZCARD', pinned) >= tonumber(limit) then
  return redis.error_reply('PINSFULL ' .. limit)
end
refusal = behind()
if refusal then return refusal end

redis.call('ZADD', pinned, next_score(pinned), id)
redis.call('HSET', status, 'pinned', 1)
emit('pinned', 'uid', uid, 'id', id)
return 1
