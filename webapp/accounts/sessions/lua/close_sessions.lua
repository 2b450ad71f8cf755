-- Purpose: end one of a member's sessions, or all but one; whoever streams with them is told.
-- KEYS: 1 = keys.signins  2 = keys.sessions  3 = keys.session of '' (their common beginning)  4 = keys.outbox
-- ARGV: 1 = uid  2 = 'only' or 'but'  3 = sha  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: how many were ended   Writes: all keys, and sessions below KEYS[3]
-- include core/events/lua/includes/emit.lua
-- include accounts/sessions/lua/includes/end_sessions.lua
local signins, sessions, prefix, outbox = unpack(KEYS)
local uid, mode, sha, partition, max, rid = unpack(ARGV)
local ended = 0
if mode == 'but' then
  ended = end_all_but(sha, signins, sessions, prefix)
elseif redis.call('HGET', prefix .. sha, 'uid') == uid then
  ended = redis.call('DEL', prefix .. sha)
  redis.call('ZREM', sessions, sha)
  redis.call('ZREM', signins, sha)
end
-- Signing out works however many events wait; a stream that is not told looks again by itself.
if ended > 0 and not behind(outbox, max) then emit(outbox, partition, 'type', 'signed_out', 'rid', rid, 'uid', uid) end
return ended
