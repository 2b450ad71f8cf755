-- Answer a sign-in that waits for a code. A right code is used up, and so is the sign-in.
--
-- KEYS     challenge           accounts.factors.challenge(uid, sha)
--          authenticator       accounts.factors.authenticator(uid)
--          recovery_codes      accounts.factors.recovery_codes(uid)
--          security_failures   accounts.security_log.security_failures(uid)
-- ARGV     kind     'app' or 'recovery'
--          step     whose code it is, '' for a wrong one
--          hash     of a recovery code
--          budget   'known' or 'new': whose tries are counted
--          agent?   `Device.note`
-- RETURNS  {'right', epoch}, or {'wrong', ''}, {'used', ''} for a code of the app that was right
--          before, {'wait', ''} for too many tries in these 30 s, {'gone', ''} for no such sign-in

local owner, epoch = unpack(redis.call('HMGET', challenge, 'uid', 'epoch'))
if owner ~= uid or redis.call('EXISTS', authenticator) == 0 then return { 'gone', '' } end
if redis.call('HINCRBY', challenge, 'tries', 1) > TRIES_MAX then
  redis.call('DEL', challenge)
  return { 'gone', '' }
end
local result = 'right'
if kind == 'app' then
  result = use_app_code(authenticator, step, budget)
elseif redis.call('SREM', recovery_codes, hash) == 0 then
  result = 'wrong'
end
if result ~= 'right' then
  note_failure(security_log, security_failures, uid, agent)
  if result == 'used' then note('code_used', agent) end
  return { result, '' }
end
redis.call('DEL', challenge)
return { 'right', epoch }
