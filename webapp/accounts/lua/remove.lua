-- Delete an account: sign it out everywhere and hide it. The worker removes what it owned.
-- A tombstone in the member's hash keeps the login from being taken over.
--
-- KEYS     member           hash
--          password         string: an argon2id hash
--          member_sessions  zset: sha -> unix seconds
--          sessions         zset of the partition: sha -> unix seconds
--          session_prefix   of the member's sessions
--          tokens           zset: sha -> unix seconds
--          token_prefix     of the member's tokens
--          apps             zset: id -> unix seconds
--          app_prefix       of the member's apps
--          active           zset: uid -> unix seconds
--          home             zset
--          outbox           stream
-- ARGV     uid
--          hash             of the password that was verified; '' for an operator
--          tombstone_ttl    seconds
--          partition
--          outbox_max
--          request_id
-- RETURNS  1
-- ERRORS   NOMEMBER, CHANGED, OVERLOADED
-- WRITES   every key, and sessions, tokens and apps below the prefixes
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/sessions/lua/includes/end_sessions.lua
-- include accounts/tokens/lua/includes/revoke_all.lua

local login = redis.call('HGET', member, 'login')
if not login then return redis.error_reply('NOMEMBER ' .. uid) end
if hash ~= '' and redis.call('GET', password) ~= hash then
  return redis.error_reply('CHANGED the password was changed')
end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

end_sessions_except('', member_sessions, sessions, session_prefix)
revoke_all(tokens, token_prefix)
revoke_all(apps, app_prefix)
redis.call('DEL', member, password)
redis.call('HSET', member, 'removed', id_text(now_ms()))
redis.call('EXPIRE', member, tombstone_ttl)
redis.call('ZREM', active, uid)
redis.call('UNLINK', home)
emit(outbox, partition, 'type', 'account_deleted', 'rid', request_id, 'uid', uid, 'login', login)
return 1
