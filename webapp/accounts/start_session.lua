-- Purpose: remember a signed-in browser under its token's hash.
-- KEYS: 1 = keys.session  2 = keys.sessions  3 = keys.user
-- ARGV: 1 = uid  2 = sha  3 = life, seconds
-- Returns: 1   Errors: NOMEMBER   Writes: KEYS 1, 2
-- include ids.lua
local session, sessions, user = KEYS[1], KEYS[2], KEYS[3]
local uid, sha, life = ARGV[1], ARGV[2], ARGV[3]
if redis.call('EXISTS', user) == 0 then return redis.error_reply('NOMEMBER ' .. uid) end
local now = math.floor(now_ms() / 1000)
redis.call('HSET', session, 'uid', uid, 'created', now, 'seen', now)
redis.call('EXPIRE', session, life)
redis.call('ZADD', sessions, now, sha)
return 1
