-- Replace a forgotten password with the help of a recovery code, which is used up. A member with
-- two-step login needs a code of the app too. All sessions end; tokens, apps and the private feed
-- are revoked. Nothing is written about a wrong recovery code.
--
-- KEYS     member             accounts.user(uid)
--          password           accounts.password(uid)
--          authenticator      accounts.factors.authenticator(uid)
--          recovery_codes     accounts.factors.recovery_codes(uid)
--          email              accounts.email.email(uid)
--          member_sessions    accounts.member_sessions(uid)
--          sessions           accounts.sessions(uid)
--          session_prefix     accounts.session(uid, '')
--          tokens             accounts.tokens.tokens(uid)
--          token_prefix       accounts.tokens.token(uid, '')
--          apps               accounts.tokens.apps(uid)
--          app_prefix         accounts.tokens.app(uid, '')
--          security_log       accounts.security_log.security_log(uid)
--          security_entries   accounts.security_log.security_entries(uid)
-- ARGV     uid
--          hash       of the recovery code
--          step       whose code of the app it is, '' for a wrong one or none
--          budget     'known' or 'new': whose tries are counted
--          new_hash   of the new password
--          agent?   `Device.note`
-- RETURNS  {'right', epoch}, or {'wrong', ''}, {'wait', ''} for too many tries in these 30 s
-- ERRORS   NOMEMBER, SUSPENDED, OVERLOADED
-- WRITES   all keys
-- EMITS    tokens_revoked, signed_out
-- include accounts/lua/includes/require_active.lua
-- include accounts/factors/lua/includes/use_app_code.lua
-- include accounts/sessions/lua/includes/replace_password.lua
-- include accounts/security_log/lua/includes/note.lua

if redis.call('SISMEMBER', recovery_codes, hash) == 0 then return { 'wrong', '' } end
local refusal = require_active(member, uid) or behind()
if refusal then return refusal end
if redis.call('HEXISTS', member, 'second_step') == 1 then
  local result = use_app_code(authenticator, step, budget)
  if result ~= 'right' then return { result == 'wait' and result or 'wrong', '' } end
end

redis.call('SREM', recovery_codes, hash)
redis.call('HSET', member, 'recovered', math.floor(now_ms() / 1000))
note(security_log, security_entries, uid, 'recovered', agent)
local keys = {
  member = member, password = password, email = email, member_sessions = member_sessions,
  sessions = sessions, session_prefix = session_prefix, tokens = tokens,
  token_prefix = token_prefix, apps = apps, app_prefix = app_prefix,
}
replace_password(keys, uid, new_hash, '', true)
return { 'right', redis.call('HGET', member, 'epoch') }
