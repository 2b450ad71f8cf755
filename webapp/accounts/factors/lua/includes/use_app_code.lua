-- Codes of authenticator apps: counted, and used once.

local TRIES_MAX = 5 -- of one sign-in, and of an account in 30 s

-- Use up a code of a member's app. `step`: whose code it is, '' for a wrong one. `budget`: 'known'
-- or 'new', whose tries are counted. Return 'right', 'wrong', 'used' for a
-- right code that was used before, or 'wait' for too many tries.
local function use_app_code(authenticator, step, budget)
  local window = tostring(math.floor(now_ms() / 30000))
  local at, tries = budget .. '_at', budget .. '_tries'
  if redis.call('HGET', authenticator, at) ~= window then
    redis.call('HSET', authenticator, at, window, tries, 0)
  end
  if redis.call('HINCRBY', authenticator, tries, 1) > TRIES_MAX then return 'wait' end
  local last = tonumber(redis.call('HGET', authenticator, 'step'))
  if step == '' then return 'wrong' end
  if tonumber(step) <= last then return 'used' end
  redis.call('HSET', authenticator, 'step', step)
  return 'right'
end
