-- Remove all that opens an account besides its password: passkeys, access tokens, apps, the private
-- feed, and all sessions but one. Sign-ins that have begun fail.
--
-- KEYS     member             accounts.user(uid)
--          member_sessions    accounts.member_sessions(uid)
--          sessions           accounts.sessions(uid)
--          session_prefix     accounts.session(uid, '')
--          tokens             accounts.tokens.tokens(uid)
--          token_prefix       accounts.tokens.token(uid, '')
--          apps               accounts.tokens.apps(uid)
--          app_prefix         accounts.tokens.app(uid, '')
--          passkeys           accounts.passkeys.passkeys(uid)
--          security_log       accounts.security_log.security_log(uid)
--          security_entries   accounts.security_log.security_entries(uid)
-- ARGV     uid
--          session_sha   of the session that stays
--          agent?   `Device.note`
-- RETURNS  0 if there were no passkeys, tokens and apps
-- ERRORS   CHANGED, OVERLOADED
-- WRITES   all keys
-- EMITS    tokens_revoked, signed_out
-- include accounts/sessions/lua/includes/close_access.lua
-- include accounts/security_log/lua/includes/note.lua

if redis.call('EXISTS', session_prefix .. session_sha) == 0 then
  return redis.error_reply('CHANGED the session has ended')
end
local refusal = behind()
if refusal then return refusal end
local found = redis.call('EXISTS', passkeys, tokens, apps)
if found > 0 then note(security_log, security_entries, uid, 'access_closed', agent) end
redis.call('DEL', passkeys)
local keys = {
  member = member, member_sessions = member_sessions, sessions = sessions,
  session_prefix = session_prefix, tokens = tokens, token_prefix = token_prefix, apps = apps,
  app_prefix = app_prefix,
}
close_access(keys, uid, session_sha, true)
return found
