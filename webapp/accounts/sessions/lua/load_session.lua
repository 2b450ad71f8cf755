-- Purpose: who is signed in with this token; when, where and with what they were last seen is written once every so often.
-- KEYS: 1 = keys.session  2 = keys.sessions  3 = keys.user  4 = keys.signins
-- ARGV: 1 = uid the cookie names  2 = sha  3 = life, seconds  4 = seconds between two writes  5 = address  6 = user agent
-- Returns: {login, name, joined, avatar, nil, nil, quoting, protected, 1 when it was written}, or false when nobody is
-- Writes: KEYS 1, 2, 4
-- include core/store/lua/includes/ids.lua
local session, sessions, user, signins = unpack(KEYS)
local uid, sha, life, touch, address, agent = unpack(ARGV)
local found = redis.call('HMGET', session, 'uid', 'seen')
if found[1] ~= uid then return false end
local member = redis.call('HMGET', user, 'login', 'name', 'joined', 'avatar', 'suspended', 'quoting', 'protected')
if not member[1] or member[5] then return false end
local now = math.floor(now_ms() / 1000)
local due = now - tonumber(found[2]) >= tonumber(touch)
if due then
  redis.call('HSET', session, 'seen', now, 'address', address, 'agent', agent)
  redis.call('EXPIRE', session, life)
  redis.call('ZADD', sessions, now, sha)
  redis.call('ZADD', signins, now, sha)
  redis.call('EXPIRE', signins, life)
end
return {member[1], member[2], member[3], member[4], false, false, member[6], member[7], due and 1 or 0}
