-- Appeal against an act, once.
--
-- KEYS     acts   moderation.acts(uid)
--          told   moderation.told_acts(uid)
-- ARGV     number
--          appeal   JSON
-- ERRORS   NOMEMBER, APPEALED
-- WRITES   acts
-- EMITS    appealed

if not redis.call('ZSCORE', told, number) then return redis.error_reply('NOMEMBER ' .. uid) end
local refusal = behind()
if refusal then return refusal end
if redis.call('HEXISTS', acts, number .. ':answer') == 1
  or redis.call('HSETNX', acts, number .. ':appeal', appeal) == 0 then
  return redis.error_reply('APPEALED ' .. uid)
end
emit('appealed', 'uid', uid, 'number', number)
return 1
