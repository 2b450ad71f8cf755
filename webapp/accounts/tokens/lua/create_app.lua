-- Purpose: remember an app of a member: its access token, and the sealed secrets of both.
-- KEYS: 1 = keys.app  2 = keys.apps  3 = keys.user
-- ARGV: 1 = uid  2 = id  3 = name  4 = token  5 = the secrets, sealed  6 = APPS_MAX
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, APPSFULL   Writes: KEYS 1, 2
-- include core/store/lua/includes/ids.lua
local app, apps, user = unpack(KEYS)
local uid, id, name, token, sealed, most = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZCARD', apps) >= tonumber(most) then return redis.error_reply('APPSFULL ' .. most) end
local now = math.floor(now_ms() / 1000)
redis.call('HSET', app, 'name', name, 'token', token, 'secrets', sealed, 'created', now)
redis.call('ZADD', apps, now, id)
return 1
