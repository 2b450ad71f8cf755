-- Purpose: bookmark a status. The scores of one list are unique, so that pages can be cut by them. Nobody is told.
-- KEYS: 1 = keys.bookmarks  2 = keys.user   (of the same member)   ARGV: 1 = uid  2 = id  3 = BOOKMARKS_MAX
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, BOOKMARKSFULL   Writes: KEYS[1]
-- include core/store/lua/includes/ids.lua
local bookmarks, user = unpack(KEYS)
local uid, id, most = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', bookmarks, id) then return 0 end
if redis.call('ZCARD', bookmarks) >= tonumber(most) then return redis.error_reply('BOOKMARKSFULL ' .. most) end
local newest = redis.call('ZRANGE', bookmarks, -1, -1, 'WITHSCORES')
redis.call('ZADD', bookmarks, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), id)
return 1
