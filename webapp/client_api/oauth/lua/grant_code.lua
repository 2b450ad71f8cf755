-- Store a member's consent under the code that the app gets. The code is void once the password
-- has changed.
--
-- KEYS     code     client_api.oauth.oauth_code(uid, sha)
--          member   accounts.user(uid)
--          security_log       accounts.security_log.security_log(uid)
--          security_entries   accounts.security_log.security_entries(uid)
--          session  accounts.session(uid, session_sha)
-- ARGV     uid
--          sha
--          session_sha   of the session that must not have ended, '' for none
--          agent?   `Device.note`
--          seconds     for which the code is valid
--          fields...   names and values in turn
-- RETURNS  1
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED
-- WRITES   code, security_log, security_entries
-- include accounts/lua/includes/require_active.lua
-- include accounts/security_log/lua/includes/note.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if session_sha ~= '' and redis.call('EXISTS', session) == 0 then
  return redis.error_reply('CHANGED the session has ended')
end
note(security_log, security_entries, uid, 'allowed', agent)
redis.call('HSET', code, 'epoch', redis.call('HGET', member, 'epoch') or '0', unpack(fields))
return redis.call('EXPIRE', code, seconds)
