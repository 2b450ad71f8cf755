-- The sessions and credentials of a member that end together.
-- include accounts/sessions/lua/includes/end_sessions.lua
-- include accounts/tokens/lua/includes/revoke_all.lua

-- End a member's sessions except the one with the sha `keep` ('' to end all), and the sign-ins that
-- have begun. Perhaps revoke their tokens, apps and private feed. Return how many sessions ended.
-- `keys`: by their names in the headers of the scripts that include this. Emits the events.
local function close_access(keys, uid, keep, revoke)
  redis.call('HINCRBY', keys.member, 'epoch', 1)
  if revoke then
    revoke_all(keys.tokens, keys.token_prefix)
    revoke_all(keys.apps, keys.app_prefix)
    redis.call('HDEL', keys.member, 'home_feed')
    emit('tokens_revoked', 'uid', uid)
  end
  emit('signed_out', 'uid', uid)
  return end_sessions_except(keep, keys.member_sessions, keys.sessions, keys.session_prefix)
end
