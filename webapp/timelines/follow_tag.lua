-- Purpose: follow a hashtag. The scores of one list are unique. Nobody is told.
-- KEYS: 1 = keys.followed_tags  2 = keys.user   (of the same member)   ARGV: 1 = uid  2 = name  3 = FOLLOWED_TAGS_MAX
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, TAGSFULL   Writes: KEYS[1]
-- include ids.lua
local tags, user = unpack(KEYS)
local uid, name, most = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', tags, name) then return 0 end
if redis.call('ZCARD', tags) >= tonumber(most) then return redis.error_reply('TAGSFULL ' .. most) end
local newest = redis.call('ZRANGE', tags, -1, -1, 'WITHSCORES')
redis.call('ZADD', tags, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), name)
return 1
