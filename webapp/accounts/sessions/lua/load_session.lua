-- Load the member of a session, and extend the session's life once it is due.
--
-- KEYS     session           accounts.session(uid, sha)
--          sessions          accounts.sessions(uid)
--          member            accounts.user(uid)
--          member_sessions   accounts.member_sessions(uid)
-- ARGV     uid              that the cookie names
--          sha
--          ttl              seconds
--          touch_interval   seconds between two extensions
--          address
--          agent            the browser's User-Agent
-- RETURNS  {the values of MEMBER_FIELDS, 1 if extended}, or false if there is no such session.
--          'suspended' and 'bot' are always nil: such members have no session
-- WRITES   session, sessions, member_sessions
-- include core/store/lua/includes/ids.lua

local owner, seen = unpack(redis.call('HMGET', session, 'uid', 'seen'))
if owner ~= uid then return false end
local login, name, joined, avatar, suspended, quote_policy, protected, hidden_up_to, audience,
  hidden_from_search, first_steps = unpack(redis.call('HMGET', member, 'login', 'name', 'joined',
    'avatar', 'suspended', 'quote_policy', 'protected', 'places_hidden_up_to', 'audience',
    'hidden_from_search', 'first_steps'))
if not login or suspended then return false end

local now = math.floor(now_ms() / 1000)
local is_due = now - tonumber(seen) >= tonumber(touch_interval)
-- Where writes are refused, as with a full disk, members still read.
if is_due then
  local reply = redis.pcall('HSET', session, 'seen', now, 'address', address, 'agent', agent)
  is_due = type(reply) == 'number'
end
if is_due then
  redis.call('EXPIRE', session, ttl)
  redis.call('ZADD', sessions, now, sha)
  redis.call('ZADD', member_sessions, now, sha)
  redis.call('EXPIRE', member_sessions, ttl)
end
return {
  login, name, joined, avatar, false, false, quote_policy, protected, hidden_up_to,
  audience, hidden_from_search, first_steps, is_due and 1 or 0,
}
