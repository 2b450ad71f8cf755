-- Store new recovery codes in place of a member's old ones.
--
-- KEYS     recovery_codes     accounts.factors.recovery_codes(uid)
--          session            accounts.session(uid, session_sha)
-- ARGV     agent?   `Device.note`
--          hashes...
-- ERRORS   CHANGED
-- WRITES   recovery_codes

if redis.call('EXISTS', session) == 0 then refuse('CHANGED', 'the session has ended') end
redis.call('DEL', recovery_codes)
redis.call('SADD', recovery_codes, unpack(hashes))
note('codes', agent)
return 1
