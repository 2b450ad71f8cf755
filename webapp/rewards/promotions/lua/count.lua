-- Count a view of a promoted post, or a click or an action within 15 minutes of it, and charge it.
--
-- KEYS     promotion    rewards.promotions.promotion(id)
--          words_key    rewards.promotions.promotion_words(id)
--          days_key     rewards.promotions.promotion_days(id)
--          running      rewards.promotions.running_promotions(id)
--          showing      rewards.promotions.promotion_showing(id, viewer)
-- ARGV     viewer    a keyed hash
--          what      views, clicks or actions
--          details   of a view: the charge in thousandths of points, and the word
-- RETURNS  1, or 0 if it does not count
-- EMITS    promotion_changed

local SHOWING_MS, KEPT_MS, LEARN_EVERY = 900000, 90 * 86400000, 100
local state, kind, price, budget, spent, open, uid = unpack(redis.call('HMGET', promotion, 'state',
  'kind', 'price', 'budget', 'spent', 'open', 'uid'))
if state ~= 'running' then return 0 end
if what == 'views' then
  if not redis.call('SET', showing, details, 'PX', SHOWING_MS, 'NX') then return 0 end
else
  details = redis.call('GET', showing)
  if not details or string.find(details, '\n' .. what, 1, true) then return 0 end
  redis.call('APPEND', showing, '\n' .. what)
end

local charge, word = string.match(details, '^(%d+) ([^\n]*)')
local day = id_text(math.floor(now_ms() / 86400000))
local count = redis.call('HINCRBY', promotion, what, 1)
redis.call('HINCRBY', days_key, what .. ':' .. day, 1)
redis.call('HINCRBY', words_key, what .. ':' .. word, 1)
local left = budget * 1000 - spent
if what == kind then
  charge = math.min(tonumber(charge), price * (kind == 'views' and 1 or 1000), left)
  left = left - charge
  redis.call('HINCRBY', promotion, 'spent', charge)
  redis.call('HINCRBY', days_key, 'spent:' .. day, charge)
end
local act = left <= 0 and 'spent' or ''
if act == 'spent' then
  redis.call('HSET', promotion, 'state', 'ended')
  redis.call('ZREM', running, id)
  for _, key in ipairs({promotion, words_key, days_key}) do redis.call('PEXPIRE', key, KEPT_MS) end
end
local still_open = pace(promotion, now_ms())
redis.call('HSET', promotion, 'open', still_open)
if act ~= '' or still_open ~= open or what == kind and what ~= 'views'
  or count % LEARN_EVERY == 0 then
  emit('promotion_changed', 'id', id, 'uid', uid, 'act', act)
end
return 1
