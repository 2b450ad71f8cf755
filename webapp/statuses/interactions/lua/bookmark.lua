-- Add a status to a member's bookmarks. Doing it again changes nothing.
--
-- KEYS     bookmarks  zset: status id -> unix ms
--          user       hash: the member
-- ARGV     uid
--          id         of the status
--          limit      most bookmarks of one member
-- RETURNS  1 if added, 0 if it was there
-- ERRORS   NOMEMBER, SUSPENDED, BOOKMARKSFULL
-- WRITES   bookmarks
-- include core/store/lua/includes/scores.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(user, uid)
if refusal then return refusal end
if redis.call('ZSCORE', bookmarks, id) then return 0 end
if redis.call('ZCARD', bookmarks) >= tonumber(limit) then
  return redis.error_reply('BOOKMARKSFULL ' .. limit)
end

redis.call('ZADD', bookmarks, next_score(bookmarks), id)
return 1
