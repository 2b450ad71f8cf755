-- Look after a promotion: end it in time or with its post, have an edited post reviewed again
-- unless its member paused it, and open it when more of the budget may be spent.
--
-- KEYS     status       statuses.status(id)
-- RETURNS  1 if something changed, else 0
-- WRITES   promotion, words_key, days_key, running, points, ledger, done, totals
-- EMITS    promotion_changed

local state, till, version, open = unpack(redis.call('HMGET', promotion, 'state', 'until',
  'version', 'open'))
if not state or state == 'ended' then
  redis.call('ZREM', running, id)
  return 0
end
local now, author, edited = now_ms(), unpack(redis.call('HMGET', status, 'author', 'edited'))
local act = ''
if not author or now >= tonumber(till or now + 1) then
  end_promotion()
  if author then act = 'over' end
elseif state ~= 'paused' and (edited or '0') ~= version then
  if state ~= 'waiting' then act = 'again' end
  redis.call('HSET', promotion, 'version', edited, 'state', 'waiting', 'open', '')
elseif pace(promotion, now) ~= open then
  redis.call('HSET', promotion, 'open', pace(promotion, now))
else
  return 0
end
emit('promotion_changed', 'id', id, 'uid', uid, 'act', act)
return 1
