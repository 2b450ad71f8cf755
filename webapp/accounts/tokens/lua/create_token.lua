-- Purpose: remember an access token under its hash.
-- KEYS: 1 = keys.token  2 = keys.tokens  3 = keys.user  4 = keys.session of who asks
-- ARGV: 1 = uid  2 = sha  3 = name  4 = TOKENS_MAX  5 = 1 when the session must still be there
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, CHANGED, TOKENSFULL   Writes: KEYS 1, 2
-- include core/store/lua/includes/ids.lua
local token, tokens, user, session = unpack(KEYS)
local uid, sha, name, most, asked = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if asked == '1' and redis.call('EXISTS', session) == 0 then return redis.error_reply('CHANGED the session has ended') end
if redis.call('ZCARD', tokens) >= tonumber(most) then return redis.error_reply('TOKENSFULL ' .. most) end
local now = math.floor(now_ms() / 1000)
redis.call('HSET', token, 'uid', uid, 'name', name, 'created', now)
redis.call('ZADD', tokens, now, sha)
return 1
