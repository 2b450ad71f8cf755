-- Store new recovery codes in place of a member's old ones.
--
-- KEYS     authenticator    accounts.factors.authenticator(uid)
--          recovery_codes   accounts.factors.recovery_codes(uid)
--          session          accounts.session(uid, session_sha)
-- ARGV     hashes...
-- RETURNS  1
-- ERRORS   CHANGED
-- WRITES   recovery_codes

if redis.call('EXISTS', session) == 0 or redis.call('EXISTS', authenticator) == 0 then
  return redis.error_reply('CHANGED the session has ended, or the second step is off')
end
redis.call('DEL', recovery_codes)
redis.call('SADD', recovery_codes, unpack(hashes))
return 1
