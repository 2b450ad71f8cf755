-- Store new recovery codes in place of a member's old ones.
--
-- KEYS     recovery_codes     accounts.factors.recovery_codes(uid)
--          session            accounts.session(uid, session_sha)
--          security_log       accounts.security_log.security_log(uid)
--          security_entries   accounts.security_log.security_entries(uid)
-- ARGV     agent?   `Device.note`
--          hashes...
-- RETURNS  1
-- ERRORS   CHANGED
-- WRITES   recovery_codes, security_log, security_entries
-- include accounts/security_log/lua/includes/note.lua

if redis.call('EXISTS', session) == 0 then
  return redis.error_reply('CHANGED the session has ended')
end
redis.call('DEL', recovery_codes)
redis.call('SADD', recovery_codes, unpack(hashes))
note(security_log, security_entries, uid, 'codes', agent)
return 1
