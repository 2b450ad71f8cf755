-- Accept, refuse, pause, resume or end a promotion.
--
-- ARGV     uid        whose promotion it is
--          act        accept, refuse, pause, resume or end
--          version    of the post that was reviewed, '' for any
--          why        why it is refused, or ''
--          by         login of the moderator who reviews it, or ''
-- RETURNS  1, or 0 if it is so already
-- ERRORS   NOPROMOTION, PROMOTIONSTATE (the act does not fit)
-- WRITES   all keys but user
-- EMITS    promotion_changed

local BEFORE = {accept = 'waiting', pause = 'running', resume = 'paused'}
local AFTER = {accept = 'running', pause = 'paused', resume = 'running', ['end'] = 'ended'}
local owner, state, days, from, stored_version = unpack(redis.call('HMGET', promotion, 'uid',
  'state', 'days', 'from', 'version'))
if owner ~= uid then refuse('NOPROMOTION', id) end
if state == AFTER[act] and act ~= 'accept' then return 0 end
if state == 'ended' or BEFORE[act] and state ~= BEFORE[act]
  or version ~= '' and version ~= stored_version then
  refuse('PROMOTIONSTATE', state)
end
refuse_when_behind()

local now = now_ms()
if act == 'end' or act == 'refuse' then
  end_promotion()
  if act == 'refuse' then redis.call('HSET', promotion, 'refused', why) end
else
  if act == 'accept' and not from then
    redis.call('HSET', promotion, 'from', id_text(now), 'until', id_text(now + days * 86400000))
  end
  redis.call('HSET', promotion, 'state', AFTER[act])
  redis.call('HSET', promotion, 'open', pace(promotion, now))
end
local event = {'id', id, 'uid', uid, 'act', act}
if by ~= '' then add(event, 'by', by, 'why', why) end
emit('promotion_changed', unpack(event))
return 1
