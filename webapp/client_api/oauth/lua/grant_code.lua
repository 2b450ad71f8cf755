-- Store a member's consent under the code that the app gets. The code is void once the password
-- has changed.
--
-- KEYS     code      client_api.oauth.oauth_code(uid, sha)
--          session   accounts.session(uid, session_sha)
-- ARGV     agent?   `Device.note`
--          seconds     for which the code is valid
--          fields...   names and values in turn
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED
-- WRITES   code

require_active_or_waiting()
if session_sha ~= '' and redis.call('EXISTS', session) == 0 then
  refuse('CHANGED', 'the session has ended')
end
note('allowed', agent)
redis.call('HSET', code, 'epoch', redis.call('HGET', member, 'epoch') or '0', unpack(fields))
return redis.call('EXPIRE', code, seconds)
