-- Add a status to a member's bookmarks, and emit `bookmarked` for the member's own search. Doing it
-- again changes nothing.
--
-- KEYS     bookmarks   statuses.interactions.bookmarks(uid)
--          user        accounts.user(uid)
-- ARGV     uid
--          id      of the status
--          limit   most bookmarks of one member
-- RETURNS  1 if added, 0 if it was there
-- ERRORS   NOMEMBER, SUSPENDED, BOOKMARKSFULL, OVERLOADED
-- WRITES   bookmarks
-- EMITS    bookmarked
-- include core/store/lua/includes/scores.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(user, uid)
if refusal then return refusal end
if redis.call('ZSCORE', bookmarks, id) then return 0 end
if redis.call('ZCARD', bookmarks) >= tonumber(limit) then
  return redis.error_reply('BOOKMARKSFULL ' .. limit)
end
refusal = behind()
if refusal then return refusal end

redis.call('ZADD', bookmarks, next_score(bookmarks), id)
emit('bookmarked', 'uid', uid, 'id', id)
return 1
