-- Purpose: suspend a member, or restore one. A suspended member is signed out everywhere and shown nowhere; nothing is lost.
-- KEYS: 1 = keys.user  2 = keys.signins  3 = keys.sessions  4 = keys.session of '' (their common beginning)  5 = keys.outbox
-- ARGV: 1 = uid  2 = 1 to suspend, 0 to restore  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, OVERLOADED   Writes: all keys, and sessions below KEYS[4]
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/sessions/lua/includes/end_sessions.lua
local user, signins, sessions, prefix, outbox = unpack(KEYS)
local uid, wanted, partition, max, rid = unpack(ARGV)
if redis.call('HEXISTS', user, 'login') == 0 then return redis.error_reply('NOMEMBER ' .. uid) end
if redis.call('HEXISTS', user, 'suspended') == tonumber(wanted) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
if wanted == '1' then
  redis.call('HSET', user, 'suspended', id_text(now_ms()))
  redis.call('HINCRBY', user, 'epoch', 1)
  end_all_but('', signins, sessions, prefix)
else
  redis.call('HDEL', user, 'suspended')
end
emit(outbox, partition, 'type', wanted == '1' and 'suspended' or 'restored', 'rid', rid, 'uid', uid)
return 1
