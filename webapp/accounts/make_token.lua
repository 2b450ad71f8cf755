-- Purpose: remember an access token under its hash.
-- KEYS: 1 = keys.token  2 = keys.tokens  3 = keys.user   ARGV: 1 = uid  2 = sha  3 = name  4 = TOKENS_MAX
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, TOKENSFULL   Writes: KEYS 1, 2
-- include ids.lua
local token, tokens, user = unpack(KEYS)
local uid, sha, name, most = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZCARD', tokens) >= tonumber(most) then return redis.error_reply('TOKENSFULL ' .. most) end
local now = math.floor(now_ms() / 1000)
redis.call('HSET', token, 'uid', uid, 'name', name, 'created', now)
redis.call('ZADD', tokens, now, sha)
return 1
