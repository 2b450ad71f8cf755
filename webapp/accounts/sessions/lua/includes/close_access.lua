-- The sessions and credentials of a member that end together.
--
-- KEYS     member         accounts.user(uid)
--          tokens         accounts.tokens.tokens(uid)
--          token_prefix   accounts.tokens.token(uid, '')
--          apps           accounts.tokens.apps(uid)
--          app_prefix     accounts.tokens.app(uid, '')

-- End a member's sessions except the one with the sha `keep` ('' to end all), and the sign-ins that
-- have begun. Perhaps revoke their tokens, apps and private feed. Return how many sessions ended.
-- Emits the events.
local function close_access(keep, revoke)
  redis.call('HINCRBY', member, 'epoch', 1)
  if revoke then
    revoke_all(tokens, token_prefix)
    revoke_all(apps, app_prefix)
    redis.call('HDEL', member, 'home_feed')
    emit('tokens_revoked', 'uid', uid)
  end
  emit('signed_out', 'uid', uid)
  return end_sessions_except(keep)
end
