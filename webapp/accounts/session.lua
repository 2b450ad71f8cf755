-- Purpose: who is signed in with this token; "last seen" is written at most once every so often.
-- KEYS: 1 = keys.session  2 = keys.sessions  3 = keys.user
-- ARGV: 1 = uid the cookie names  2 = sha  3 = life, seconds  4 = seconds between two writes
-- Returns: {login, name, joined, 1 when it was written}, or false when nobody is   Writes: KEYS 1, 2
-- include ids.lua
local session, sessions, user = KEYS[1], KEYS[2], KEYS[3]
local uid, sha, life, touch = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local found = redis.call('HMGET', session, 'uid', 'seen')
if found[1] ~= uid then return false end
local member = redis.call('HMGET', user, 'login', 'name', 'joined')
if not member[1] then return false end
local now = math.floor(now_ms() / 1000)
local due = now - tonumber(found[2]) >= touch
if due then
  redis.call('HSET', session, 'seen', now)
  redis.call('EXPIRE', session, life)
  redis.call('ZADD', sessions, now, sha)
end
return {member[1], member[2], member[3], due and 1 or 0}
