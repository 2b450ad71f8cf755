-- Ask a member for a code at each sign-in, and store recovery codes. Sign-ins that began before
-- fail: their password alone would do. The session has used the account's first factor.
--
-- KEYS     member             accounts.user(uid)
--          authenticator      accounts.factors.authenticator(uid)
--          recovery_codes     accounts.factors.recovery_codes(uid)
--          session            accounts.session(uid, session_sha)
--          passkeys           accounts.passkeys.passkeys(uid)
-- ARGV     sealed       the secret, sealed
--          step         of the code that proved the app
--          agent?   `Device.note`
--          hashes...    of the recovery codes
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED
-- WRITES   member, authenticator, recovery_codes, session

require_active()
if redis.call('EXISTS', session) == 0 or redis.call('EXISTS', authenticator) == 1 then
  refuse('CHANGED the session has ended, or the second step is on')
end
if redis.call('EXISTS', passkeys) == 0 then redis.call('HSET', session, 'factor', 1) end
redis.call('HSET', authenticator, 'secret', sealed, 'step', step)
redis.call('DEL', recovery_codes)
redis.call('SADD', recovery_codes, unpack(hashes))
redis.call('HSET', member, 'second_step', 1)
redis.call('HINCRBY', member, 'epoch', 1)
note('two_step_on', agent)
return 1
