-- Passwords that are replaced, and what ends with the old one.
-- include accounts/sessions/lua/includes/end_sessions.lua
-- include accounts/tokens/lua/includes/revoke_all.lua

-- Store a member's new password and end their sessions except the one with the sha `keep` ('' to
-- end all). Perhaps revoke their tokens, apps and private feed. Return how many sessions ended.
-- `keys`: by their names in the headers of the scripts that include this. Emits the events.
local function replace_password(keys, uid, new_hash, keep, revoke)
  redis.call('SET', keys.password, new_hash)
  redis.call('HINCRBY', keys.member, 'epoch', 1)
  redis.call('HDEL', keys.member, 'password_until')
  if revoke then
    revoke_all(keys.tokens, keys.token_prefix)
    revoke_all(keys.apps, keys.app_prefix)
    redis.call('HDEL', keys.member, 'home_feed')
    emit('tokens_revoked', 'uid', uid)
  end
  emit('signed_out', 'uid', uid)
  return end_sessions_except(keep, keys.member_sessions, keys.sessions, keys.session_prefix)
end
