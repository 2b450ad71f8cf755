-- Purpose: end a member's sessions: all of them but one, or one alone.
local function end_all_but(keep, signins, sessions, prefix)
  local ended = 0
  for _, sha in ipairs(redis.call('ZRANGE', signins, 0, -1)) do
    if sha ~= keep then
      ended = ended + redis.call('DEL', prefix .. sha)
      redis.call('ZREM', sessions, sha)
      redis.call('ZREM', signins, sha)
    end
  end
  return ended
end
