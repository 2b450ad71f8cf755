-- Remove a passkey of a member.
--
-- KEYS     passkeys           accounts.passkeys.passkeys(uid)
--          security_log       accounts.security_log.security_log(uid)
--          security_entries   accounts.security_log.security_entries(uid)
-- ARGV     id
--          agent?   `Device.note`
-- RETURNS  1, or 0 if the member has no such passkey
-- WRITES   passkeys, security_log, security_entries
-- include accounts/security_log/lua/includes/note.lua

if redis.call('HDEL', passkeys, id) == 0 then return 0 end
note(security_log, security_entries, uid, 'passkey_removed', agent)
return 1
