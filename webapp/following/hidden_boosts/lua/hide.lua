-- Hide a member's boosts from another member's home. Doing it again changes nothing.
--
-- KEYS     hidden_boosts   zset: uid -> unix ms, each higher than the one before
--          outbox          stream
--          member          hash
-- ARGV     uid
--          target          whose boosts to hide
--          limit           most members whose boosts one member hides
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if they were hidden
-- ERRORS   NOMEMBER, SUSPENDED, HIDDENBOOSTSFULL, OVERLOADED
-- WRITES   hidden_boosts, outbox
-- include core/store/lua/includes/ids.lua
-- include core/store/lua/includes/scores.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if redis.call('ZSCORE', hidden_boosts, target) then return 0 end
if redis.call('ZCARD', hidden_boosts) >= tonumber(limit) then
  return redis.error_reply('HIDDENBOOSTSFULL ' .. limit)
end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZADD', hidden_boosts, next_score(hidden_boosts), target)
emit(outbox, partition, 'type', 'boosts_hidden', 'rid', request_id, 'uid', uid)
return 1
