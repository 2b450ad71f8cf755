-- Mute a member for a time. Doing it again sets the new time.
-- The scores of the list are unique, so that pages can be cut between any two.
--
-- KEYS     mutes                 following.mutes(uid)
--          muted_notifications   following.muted_notifications(uid)
-- ARGV     target               whom to mute
--          seconds              for how long
--          hide_notifications   1 or 0
--          limit                config.mutes_max   most mutes of one member
-- RETURNS  until when, unix seconds
-- ERRORS   NOMEMBER, SUSPENDED, MUTESFULL
-- EMITS    muted

require_active()
local now = math.floor(now_ms() / 1000)
local muted_count = redis.call('ZCOUNT', mutes, '(' .. now, '+inf')
local muted_until = redis.call('ZSCORE', mutes, target)
local is_muted = muted_until and tonumber(muted_until) > now
if not is_muted and muted_count >= tonumber(limit) then refuse('MUTESFULL', limit) end
refuse_when_behind()

for _, list in ipairs({mutes, muted_notifications}) do
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZREM', list, target)
end
local ends = free_score(mutes, now + tonumber(seconds), 1)
redis.call('ZADD', mutes, ends, target)
if hide_notifications == '1' then redis.call('ZADD', muted_notifications, ends, target) end
emit('muted', 'uid', uid)
return tonumber(ends)
