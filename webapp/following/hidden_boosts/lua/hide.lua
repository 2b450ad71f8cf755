-- Hide a member's boosts from another member's home. Doing it again changes nothing.
--
-- KEYS     hidden_boosts   following.hidden_boosts(uid)
--          member          accounts.user(uid)
-- ARGV     uid
--          target   whose boosts to hide
--          limit    most members whose boosts one member hides
-- RETURNS  1, or 0 if they were hidden
-- ERRORS   NOMEMBER, SUSPENDED, HIDDENBOOSTSFULL, OVERLOADED
-- WRITES   hidden_boosts
-- EMITS    boosts_hidden
-- include core/store/lua/includes/ids.lua
-- include core/store/lua/includes/scores.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if redis.call('ZSCORE', hidden_boosts, target) then return 0 end
if redis.call('ZCARD', hidden_boosts) >= tonumber(limit) then
  return redis.error_reply('HIDDENBOOSTSFULL ' .. limit)
end
refusal = behind()
if refusal then return refusal end

redis.call('ZADD', hidden_boosts, next_score(hidden_boosts), target)
emit('boosts_hidden', 'uid', uid)
return 1
