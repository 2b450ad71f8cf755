-- Accept, pause, resume or end a promotion.
--
-- ARGV     uid   whose promotion it is
--          act   accept, pause, resume or end
-- RETURNS  1, or 0 if it is so already
-- ERRORS   NOPROMOTION, PROMOTIONSTATE (the act does not fit)
-- WRITES   all keys but user
-- EMITS    promotion_changed

local BEFORE = {accept = 'waiting', pause = 'running', resume = 'paused'}
local AFTER = {accept = 'running', pause = 'paused', resume = 'running', ['end'] = 'ended'}
local owner, state, days, from = unpack(redis.call('HMGET', promotion, 'uid', 'state', 'days',
  'from'))
if owner ~= uid then refuse('NOPROMOTION', id) end
if state == AFTER[act] and act ~= 'accept' then return 0 end
if state == 'ended' or BEFORE[act] and state ~= BEFORE[act] then refuse('PROMOTIONSTATE', state) end
refuse_when_behind()

local now = now_ms()
if act == 'end' then
  end_promotion()
else
  if act == 'accept' and not from then
    redis.call('HSET', promotion, 'from', id_text(now), 'until', id_text(now + days * 86400000))
  end
  redis.call('HSET', promotion, 'state', AFTER[act])
  redis.call('HSET', promotion, 'open', pace(promotion, now))
end
emit('promotion_changed', 'id', id)
return 1
