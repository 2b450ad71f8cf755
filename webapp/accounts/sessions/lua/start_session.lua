-- Start a session, under its token's sha. The member's epoch must still be the one at which the
-- password was verified. The least recent sessions above the limit end.
--
-- KEYS     session            accounts.session(uid, sha)
--          sessions           accounts.sessions(uid)
--          member             accounts.user(uid)
--          member_sessions    accounts.member_sessions(uid)
--          session_prefix     accounts.session(uid, '')
-- ARGV     ttl       seconds
--          epoch
--          limit     config.member_sessions_max   most sessions of one member
--          address
--          agent     the browser's User-Agent
--          network   of the address, '' for none
--          factor    1 if a second factor was used
--          country   of the address, '' if it is not known
-- RETURNS  1 if no log-in came from this country before, though others did; else 0
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED
-- EMITS    signed_in_abroad

require_active()
if (redis.call('HGET', member, 'epoch') or '0') ~= epoch then
  refuse('CHANGED', 'the password was changed')
end

local now = math.floor(now_ms() / 1000)
redis.call('ZREMRANGEBYSCORE', member_sessions, '-inf', now - tonumber(ttl))
local excess = redis.call('ZCARD', member_sessions) - tonumber(limit) + 1
if excess > 0 then
  local removed = redis.call('ZPOPMIN', member_sessions, excess)
  for i = 1, #removed, 2 do -- shas and scores in turn
    redis.call('DEL', session_prefix .. removed[i])
    redis.call('ZREM', sessions, removed[i])
  end
end

note('signed_in', agent .. '\n' .. network)
redis.call('HSET', session,
  'uid', uid, 'created', now, 'seen', now, 'proved', now, 'address', address, 'agent', agent)
if factor == '1' then redis.call('HSET', session, 'factor', 1) end
if redis.call('HEXISTS', member, 'password_until') == 1 then
  redis.call('HSET', session, 'must_change', 1)
end
redis.call('EXPIRE', session, ttl)
redis.call('ZADD', sessions, now, sha)
redis.call('ZADD', member_sessions, now, sha)
redis.call('EXPIRE', member_sessions, ttl)
if not note_country(member, country) then return 0 end
-- A full outbox must not keep anybody from logging in.
if not is_behind() then emit('signed_in_abroad', 'uid', uid, 'session', sha, 'country', country) end
return 1
