-- Purpose: give a member another password and end their sessions but one, so that whoever knew the old one is out.
-- KEYS: 1 = keys.user  2 = keys.password  3 = keys.signins  4 = keys.sessions  5 = keys.session of ''  6 = keys.outbox
--       7 = keys.tokens  8 = keys.token of ''  9 = keys.apps  10 = keys.app of '' (the common beginnings lie in
--       this partition)
-- ARGV: 1 = uid  2 = the old hash, '' for an operator, who revokes tokens and apps too  3 = the new hash  4 = sha of the session
--       that stays, or ''  5 = partition  6 = OUTBOX_MAX  7 = rid
-- Returns: how many sessions were ended   Errors: NOMEMBER, ISBOT, CHANGED, OVERLOADED   Writes: all keys, sessions, tokens, apps
-- include core/events/lua/includes/emit.lua
-- include accounts/sessions/lua/includes/end_sessions.lua
-- include accounts/tokens/lua/includes/revoke_all.lua
local user, password, signins, sessions, prefix, outbox, tokens, token_prefix = unpack(KEYS, 1, 8)
local apps, app_prefix = KEYS[9], KEYS[10]
local uid, old, new, keep, partition, max, rid = unpack(ARGV)
if redis.call('HEXISTS', user, 'login') == 0 then return redis.error_reply('NOMEMBER ' .. uid) end
if redis.call('HEXISTS', user, 'bot') == 1 then return redis.error_reply('ISBOT ' .. uid) end
if old ~= '' and redis.call('GET', password) ~= old then return redis.error_reply('CHANGED meanwhile') end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('SET', password, new)
redis.call('HINCRBY', user, 'epoch', 1)
if old == '' then
  end_tokens(tokens, token_prefix)
  end_tokens(apps, app_prefix)
end
emit(outbox, partition, 'type', 'signed_out', 'rid', rid, 'uid', uid)
return end_all_but(keep, signins, sessions, prefix)
