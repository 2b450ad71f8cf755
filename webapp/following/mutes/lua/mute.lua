-- Mute a member for a time. Doing it again sets the new time. Notifications that are hidden with it
-- are no longer unread.
-- The scores of the list are unique, so that pages can be cut between any two.
--
-- KEYS     mutes                zset: uid -> until when, unix seconds
--          muted_notifications  zset: the same, of those whose notifications are hidden too
--          unread               set of notifications
--          outbox               stream
--          member               hash
-- ARGV     uid
--          target               whom to mute
--          seconds              for how long
--          hide_notifications   1 or 0
--          limit                most mutes of one member
--          partition
--          outbox_max
--          request_id
-- RETURNS  until when, unix seconds
-- ERRORS   NOMEMBER, SUSPENDED, MUTESFULL, OVERLOADED
-- WRITES   mutes, muted_notifications, unread, outbox
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
local now = math.floor(now_ms() / 1000)
local muted_count = redis.call('ZCOUNT', mutes, '(' .. now, '+inf')
local muted_until = redis.call('ZSCORE', mutes, target)
local is_muted = muted_until and tonumber(muted_until) > now
if not is_muted and muted_count >= tonumber(limit) then
  return redis.error_reply('MUTESFULL ' .. limit)
end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

for _, list in ipairs({mutes, muted_notifications}) do
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZREM', list, target)
end
local ends = now + tonumber(seconds)
while redis.call('ZCOUNT', mutes, ends, ends) > 0 do ends = ends + 1 end
redis.call('ZADD', mutes, ends, target)
if hide_notifications == '1' then
  redis.call('ZADD', muted_notifications, ends, target)
  for _, entry in ipairs(redis.call('SMEMBERS', unread)) do
    if string.match(entry, '^[^:]*:([^:]*):') == target then redis.call('SREM', unread, entry) end
  end
  redis.call('PUBLISH', 'chat', 'b ' .. uid)
end
emit(outbox, partition, 'type', 'muted', 'rid', request_id, 'uid', uid)
return ends
