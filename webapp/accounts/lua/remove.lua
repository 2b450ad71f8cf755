-- Purpose: delete an account. From here on nobody sees it; the worker removes what it owned. What stays of it keeps the name taken.
-- KEYS: 1 = keys.user  2 = keys.password  3 = keys.signins  4 = keys.sessions  5 = keys.session of ''  6 = keys.tokens
--       7 = keys.token of ''  8 = keys.active  9 = keys.home  10 = keys.outbox
--       11 = keys.apps  12 = keys.app of ''
-- ARGV: 1 = uid  2 = the password's hash, '' for an operator  3 = how long a trace is kept, seconds  4 = partition
--       5 = OUTBOX_MAX  6 = rid
-- Returns: 1   Errors: NOMEMBER, CHANGED, OVERLOADED   Writes: all keys, and sessions, tokens and apps below KEYS 5, 7, 12
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/sessions/lua/includes/end_sessions.lua
-- include accounts/tokens/lua/includes/revoke_all.lua
local user, password, signins, sessions, prefix, tokens, token_prefix, active, home, outbox = unpack(KEYS, 1, 10)
local apps, app_prefix = KEYS[11], KEYS[12]
local uid, proof, kept, partition, max, rid = unpack(ARGV)
local login = redis.call('HGET', user, 'login')
if not login then return redis.error_reply('NOMEMBER ' .. uid) end
if proof ~= '' and redis.call('GET', password) ~= proof then return redis.error_reply('CHANGED meanwhile') end
local refusal = behind(outbox, max)
if refusal then return refusal end
end_all_but('', signins, sessions, prefix)
end_tokens(tokens, token_prefix)
end_tokens(apps, app_prefix)
redis.call('DEL', user, password)
redis.call('HSET', user, 'removed', id_text(now_ms()))
redis.call('EXPIRE', user, kept)
redis.call('ZREM', active, uid)
redis.call('UNLINK', home)
emit(outbox, partition, 'type', 'removed', 'rid', rid, 'uid', uid, 'login', login)
return 1
