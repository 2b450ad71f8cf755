-- Answer a sign-in that waits for a code. A right code is used up, and so is the sign-in.
--
-- KEYS     challenge        accounts.factors.challenge(uid, sha)
--          authenticator    accounts.factors.authenticator(uid)
--          recovery_codes   accounts.factors.recovery_codes(uid)
-- ARGV     uid
--          kind     'app' or 'recovery'
--          step     whose code it is, '' for a wrong one
--          hash     of a recovery code
--          budget   'known' or 'new': whose tries are counted
--          limit    tries of the sign-in, and of codes of the app in 30 s
-- RETURNS  {'right', epoch}, or {'wrong', ''}, {'wait', ''} for too many tries in these 30 s,
--          {'gone', ''} for no such sign-in
-- ERRORS   none
-- WRITES   all keys
-- include core/store/lua/includes/ids.lua

-- Count a code of the app. Return true if there were too many in these 30 s.
local function is_over_limit()
  local window = tostring(math.floor(now_ms() / 30000))
  local at, tries = budget .. '_at', budget .. '_tries'
  if redis.call('HGET', authenticator, at) ~= window then
    redis.call('HSET', authenticator, at, window, tries, 0)
  end
  return redis.call('HINCRBY', authenticator, tries, 1) > tonumber(limit)
end

local owner, epoch = unpack(redis.call('HMGET', challenge, 'uid', 'epoch'))
if owner ~= uid or redis.call('EXISTS', authenticator) == 0 then return { 'gone', '' } end
if redis.call('HINCRBY', challenge, 'tries', 1) > tonumber(limit) then
  redis.call('DEL', challenge)
  return { 'gone', '' }
end
if kind == 'recovery' then
  if redis.call('SREM', recovery_codes, hash) == 0 then return { 'wrong', '' } end
else
  if is_over_limit() then return { 'wait', '' } end
  local last = tonumber(redis.call('HGET', authenticator, 'step'))
  if step == '' or tonumber(step) <= last then return { 'wrong', '' } end
  redis.call('HSET', authenticator, 'step', step)
end
redis.call('DEL', challenge)
return { 'right', epoch }
