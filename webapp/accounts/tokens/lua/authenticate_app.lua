-- Purpose: take a request that an app has signed rightly, once; when it was last used is written once every so often.
-- KEYS: 1 = keys.app  2 = keys.user  3 = keys.nonce
-- ARGV: 1 = how long the nonce is remembered, seconds  2 = seconds between two writes of the last use
-- Returns: {login, name, joined, avatar, nil, nil, nil, protected}, or false when there is no such app (any more)   Errors: REPLAYED   Writes: KEYS 1, 3
-- include core/store/lua/includes/ids.lua
local app, user, nonce = unpack(KEYS)
local life, touch = ARGV[1], tonumber(ARGV[2])
local found = redis.call('HMGET', app, 'token', 'used')
if not found[1] then return false end
local member = redis.call('HMGET', user, 'login', 'name', 'joined', 'avatar', 'suspended', 'protected')
if not member[1] or member[5] then return false end
if not redis.call('SET', nonce, 1, 'NX', 'EX', life) then return redis.error_reply('REPLAYED this nonce') end
local now = math.floor(now_ms() / 1000)
if now - tonumber(found[2] or 0) >= touch then redis.call('HSET', app, 'used', now) end
return {member[1], member[2], member[3], member[4], false, false, false, member[6]}
