-- Load the member of a session, and extend the session's life once it is due. Unless it is over,
-- count an action against a rate limit of the member.
--
-- KEYS     session           accounts.session(uid, sha)
--          sessions          accounts.sessions(uid)
--          member            accounts.user(uid)
--          member_sessions   accounts.member_sessions(uid)
--          limit             core.web.member_limit(uid, limited)
-- ARGV     uid              that the cookie names
--          ttl              seconds
--          longest          seconds from its start to its end at the latest
--          touch_interval   seconds between two extensions
--          address
--          agent            the browser's User-Agent
--          burst            of the rate limit, 0 to count nothing
--          period           of the rate limit, seconds
--          fields...        of the member
-- RETURNS  {the values of `fields`, 1 if the password must be replaced, 1 if extended, the seconds
--          to wait or -1 if nothing was counted}, or false if the session is over or unknown
-- WRITES   session, sessions, member_sessions, limit
-- IDEMPOTENT   but for the limit, which may count the action twice
-- include core/web/lua/includes/gcra.lua

local owner, seen, created, must_change =
  unpack(redis.call('HMGET', session, 'uid', 'seen', 'created', 'must_change'))
if owner ~= uid then return false end
if math.floor(now_ms() / 1000) - tonumber(created or 0) >= tonumber(longest) then return false end
local values = active_member(member, fields)
if not values then return false end

local now = touch(session, 'seen', seen, touch_interval, 'address', address, 'agent', agent)
if now then
  redis.call('EXPIRE', session, ttl)
  redis.call('ZADD', sessions, now, sha)
  redis.call('ZADD', member_sessions, now, sha)
  redis.call('EXPIRE', member_sessions, ttl)
end
values[#fields + 1] = must_change and 1 or 0
values[#fields + 2] = now and 1 or 0
values[#fields + 3] = -1
if burst ~= '0' and not must_change then
  -- Where the store refuses writes, the view counts, and is refused in its turn.
  local is_counted, wait = pcall(consume, limit, tonumber(burst), tonumber(period))
  if is_counted then values[#fields + 3] = wait end
end
return values
