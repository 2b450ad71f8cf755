-- Purpose: whose access token this is; when it was last used is written once every so often.
-- KEYS: 1 = keys.token  2 = keys.user   ARGV: 1 = uid the token names  2 = seconds between two writes
-- Returns: {login, name, joined, avatar, nil, the owner of a bot, nil, protected}, or false when it is no token (any more)   Writes: KEYS[1]
-- include core/store/lua/includes/ids.lua
local token, user = KEYS[1], KEYS[2]
local uid, touch = ARGV[1], tonumber(ARGV[2])
local found = redis.call('HMGET', token, 'uid', 'used')
if found[1] ~= uid then return false end
local member = redis.call('HMGET', user, 'login', 'name', 'joined', 'avatar', 'suspended', 'bot', 'protected')
if not member[1] or member[5] then return false end
local now = math.floor(now_ms() / 1000)
if now - tonumber(found[2] or 0) >= touch then redis.call('HSET', token, 'used', now) end
return {member[1], member[2], member[3], member[4], false, member[6], false, member[7]}
