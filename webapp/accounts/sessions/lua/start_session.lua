-- Purpose: remember a signed-in browser under its token's hash. What proved who it is must still hold: the member's epoch.
-- KEYS: 1 = keys.session  2 = keys.sessions  3 = keys.user  4 = keys.signins  5 = keys.session of '' (their common beginning)
-- ARGV: 1 = uid  2 = sha  3 = life, seconds  4 = epoch  5 = MEMBER_SESSIONS_MAX  6 = address  7 = user agent
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, CHANGED   Writes: KEYS 1, 2, 4 and sessions below KEYS[5]
-- include core/store/lua/includes/ids.lua
local session, sessions, user, signins, prefix = unpack(KEYS)
local uid, sha, life, epoch, most, address, agent = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended', 'epoch')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if (member[3] or '0') ~= epoch then return redis.error_reply('CHANGED the password is another one now') end
local now = math.floor(now_ms() / 1000)
redis.call('ZREMRANGEBYSCORE', signins, '-inf', now - tonumber(life))
local excess = redis.call('ZCARD', signins) - tonumber(most) + 1
for index, oldest in ipairs(excess > 0 and redis.call('ZPOPMIN', signins, excess) or {}) do
  if index % 2 == 1 then
    redis.call('DEL', prefix .. oldest)
    redis.call('ZREM', sessions, oldest)
  end
end
redis.call('HSET', session, 'uid', uid, 'created', now, 'seen', now, 'address', address, 'agent', agent)
redis.call('EXPIRE', session, life)
redis.call('ZADD', sessions, now, sha)
redis.call('ZADD', signins, now, sha)
redis.call('EXPIRE', signins, life)
return 1
