-- Remove a status from a member's bookmarks, and emit `unbookmarked` for the member's own search.
--
-- KEYS     bookmarks   statuses.interactions.bookmarks(uid)
-- ARGV     uid
--          id    of the status
-- RETURNS  1 if removed, 0 if there was none
-- ERRORS   OVERLOADED
-- WRITES   bookmarks
-- EMITS    unbookmarked

if not redis.call('ZSCORE', bookmarks, id) then return 0 end
local refusal = behind()
if refusal then return refusal end
redis.call('ZREM', bookmarks, id)
emit('unbookmarked', 'uid', uid, 'id', id)
return 1
