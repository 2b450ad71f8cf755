-- Note a wrong password. Where no member has the name, nothing says which name it was.
--
-- KEYS     security_log        accounts.security_log.security_log(uid)
--          security_failures   accounts.security_log.security_failures(uid)
--          member              accounts.user(uid)
-- ARGV     uid     0 for a name that nobody has
--          agent   `Device.note`
-- WRITES   security_log, security_failures

local is_member = redis.call('HEXISTS', member, 'login') == 1
note_failure(security_log, security_failures, is_member and uid or '', agent)
return 1
