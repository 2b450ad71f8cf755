-- Show a member's boosts on another member's home again.
--
-- KEYS     hidden_boosts   following.hidden_boosts(uid)
-- ARGV     uid
--          target   whose boosts to show
-- RETURNS  1, or 0 if they were not hidden
-- ERRORS   OVERLOADED
-- WRITES   hidden_boosts
-- EMITS    boosts_shown

if not redis.call('ZSCORE', hidden_boosts, target) then return 0 end
local refusal = behind()
if refusal then return refusal end

redis.call('ZREM', hidden_boosts, target)
emit('boosts_shown', 'uid', uid)
return 1
