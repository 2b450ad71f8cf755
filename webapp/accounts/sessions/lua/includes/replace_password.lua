-- Passwords that are replaced, and what ends with the old one.
--
-- KEYS     member         accounts.user(uid)
--          password       accounts.password(uid)
--          tokens         accounts.tokens.tokens(uid)
--          token_prefix   accounts.tokens.token(uid, '')
--          apps           accounts.tokens.apps(uid)
--          app_prefix     accounts.tokens.app(uid, '')
-- WRITES   all keys
-- include accounts/sessions/lua/includes/end_sessions.lua
-- include accounts/tokens/lua/includes/revoke_all.lua

-- Store a member's new password and end their sessions except the one with the sha `keep` ('' to
-- end all). Perhaps revoke their tokens, apps and private feed. Return how many sessions ended.
-- Emits the events.
local function replace_password(new_hash, keep, revoke)
  redis.call('SET', password, new_hash)
  redis.call('HINCRBY', member, 'epoch', 1)
  redis.call('HDEL', member, 'password_until')
  if revoke then
    revoke_all(tokens, token_prefix)
    revoke_all(apps, app_prefix)
    redis.call('HDEL', member, 'home_feed')
    emit('tokens_revoked', 'uid', uid)
  end
  emit('signed_out', 'uid', uid)
  return end_sessions_except(keep)
end
