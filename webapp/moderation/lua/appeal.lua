-- Appeal against an act, once.
--
-- KEYS     acts   moderation.acts(uid)
--          told   moderation.told_acts(uid)
-- ARGV     number
--          appeal   JSON
-- ERRORS   NOMEMBER, APPEALED
-- WRITES   acts
-- EMITS    appealed

if not redis.call('ZSCORE', told, number) then refuse('NOMEMBER', uid) end
refuse_when_behind()
if redis.call('HEXISTS', acts, number .. ':answer') == 1
  or redis.call('HSETNX', acts, number .. ':appeal', appeal) == 0 then
  refuse('APPEALED', uid)
end
emit('appealed', 'uid', uid, 'number', number)
return 1
