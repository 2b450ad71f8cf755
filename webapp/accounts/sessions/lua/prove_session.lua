-- Note in a session that its member's password was verified now, unless either has changed since.
--
-- KEYS     session    accounts.session(uid, session_sha)
--          password   accounts.password(uid)
-- ARGV     hash   the one that was verified
-- ERRORS   CHANGED
-- WRITES   session

if redis.call('HGET', session, 'uid') ~= uid or redis.call('GET', password) ~= hash then
  refuse('CHANGED', 'the session or the password')
end
redis.call('HSET', session, 'proved', math.floor(now_ms() / 1000))
return 1
