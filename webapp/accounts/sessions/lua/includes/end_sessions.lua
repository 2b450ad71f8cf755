-- A member's sessions, and the lists of them that the member and the partition have.
--
-- KEYS     member_sessions   accounts.member_sessions(uid)
--          sessions          accounts.sessions(uid)
--          session_prefix    accounts.session(uid, '')

-- End a member's sessions except the one with the sha `keep` ('' to end all). Return how many.
local function end_sessions_except(keep)
  local ended = 0
  for _, sha in ipairs(redis.call('ZRANGE', member_sessions, 0, -1)) do
    if sha ~= keep then
      ended = ended + redis.call('DEL', session_prefix .. sha)
      redis.call('ZREM', sessions, sha)
      redis.call('ZREM', member_sessions, sha)
    end
  end
  return ended
end
