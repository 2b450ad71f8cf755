-- Delete an account: sign it out everywhere and hide it. The worker removes its data. A tombstone
-- in the member's hash keeps the login from being taken over.
--
-- KEYS     member            accounts.user(uid)
--          password          accounts.password(uid)
--          tokens            accounts.tokens.tokens(uid)
--          token_prefix      accounts.tokens.token(uid, '')
--          apps              accounts.tokens.apps(uid)
--          app_prefix        accounts.tokens.app(uid, '')
--          active            accounts.active_members(uid)
--          home              accounts.home(uid)
-- ARGV     hash            of the password that was verified; '' for an operator
--          suspended       when it was suspended, if that is the reason; '' if not
--          tombstone_ttl   seconds
-- ERRORS   NOMEMBER, CHANGED
-- EMITS    account_deleted

local login = redis.call('HGET', member, 'login')
if not login then refuse('NOMEMBER', uid) end
if hash ~= '' and redis.call('GET', password) ~= hash then
  refuse('CHANGED', 'the password was changed')
end
if suspended ~= '' and redis.call('HGET', member, 'suspended') ~= suspended then
  refuse('CHANGED', 'the suspension has ended')
end
refuse_when_behind()

end_sessions_except('')
revoke_all(tokens, token_prefix)
revoke_all(apps, app_prefix)
redis.call('DEL', member, password)
redis.call('HSET', member, 'removed', id_text(now_ms()))
redis.call('EXPIRE', member, tombstone_ttl)
redis.call('ZREM', active, uid)
redis.call('UNLINK', home)
emit('account_deleted', 'uid', uid, 'login', login)
return 1
