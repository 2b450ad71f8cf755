-- End one of a member's sessions, or all but one, and tell open streams.
--
-- KEYS     member_sessions  zset: sha -> unix seconds
--          sessions         zset of the partition: sha -> unix seconds
--          session_prefix   of the member's sessions
--          outbox           stream
-- ARGV     uid
--          mode             'only' to end the session `sha`, 'except' to end all others
--          sha
--          partition
--          outbox_max
--          request_id
-- RETURNS  how many sessions ended
-- WRITES   every key, and sessions below the prefix
-- include core/events/lua/includes/emit.lua
-- include accounts/sessions/lua/includes/end_sessions.lua

local ended = 0
if mode == 'except' then
  ended = end_sessions_except(sha, member_sessions, sessions, session_prefix)
elseif redis.call('HGET', session_prefix .. sha, 'uid') == uid then
  ended = redis.call('DEL', session_prefix .. sha)
  redis.call('ZREM', sessions, sha)
  redis.call('ZREM', member_sessions, sha)
end
-- A full outbox must not keep anybody from signing out. Open streams check again by themselves.
if ended > 0 and not behind(outbox, outbox_max) then
  emit(outbox, partition, 'type', 'signed_out', 'rid', request_id, 'uid', uid)
end
return ended
