-- End one of a member's sessions, or all but one, and tell open streams.
--
-- ARGV     mode   'only' to end the session `sha`, 'except' to end all others
--          sha
-- RETURNS  how many sessions ended
-- EMITS    signed_out

local ended = 0
if mode == 'except' then
  ended = end_sessions_except(sha)
elseif redis.call('HGET', session_prefix .. sha, 'uid') == uid then
  ended = redis.call('DEL', session_prefix .. sha)
  redis.call('ZREM', sessions, sha)
  redis.call('ZREM', member_sessions, sha)
end
-- A full outbox must not keep anybody from signing out. Open streams check again by themselves.
if ended > 0 and not is_behind() then
  emit('signed_out', 'uid', uid)
end
return ended
