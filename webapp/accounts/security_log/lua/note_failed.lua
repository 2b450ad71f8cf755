-- Note a wrong password in its member's security log.
--
-- KEYS     security_log   accounts.security_log.security_log(uid)
--          member         accounts.user(uid)
-- ARGV     agent   the browser's User-Agent
-- RETURNS  1, or 0 if there is no such member
-- ERRORS   none
-- WRITES   security_log
-- include accounts/security_log/lua/includes/note.lua

if redis.call('HEXISTS', member, 'login') == 0 then return 0 end
note(security_log, 'failed', agent)
return 1
