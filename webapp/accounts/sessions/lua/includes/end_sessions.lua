-- End a member's sessions except the one with the sha `keep` ('' to end all). Return how many.
-- `member_sessions` and `sessions` are the member's and the partition's lists of them.
local function end_sessions_except(keep, member_sessions, sessions, session_prefix)
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
