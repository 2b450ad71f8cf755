-- Remove all that opens an account besides its password: passkeys, access tokens, apps, the private
-- feed, and all sessions but one. Sign-ins that have begun fail.
--
-- KEYS     passkeys   accounts.passkeys.passkeys(uid)
-- ARGV     session_sha   of the session that stays
--          agent?   `Device.note`
-- ERRORS   CHANGED
-- EMITS    tokens_revoked, signed_out

if redis.call('EXISTS', session_prefix .. session_sha) == 0 then
  refuse('CHANGED', 'the session has ended')
end
refuse_when_behind()
if redis.call('EXISTS', passkeys, tokens, apps) > 0 then note('access_closed', agent) end
redis.call('DEL', passkeys)
close_access(session_sha, true)
return 1
