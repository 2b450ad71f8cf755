-- Ends of a promotion.
--
-- KEYS     user        accounts.user(uid)
--          promotion   rewards.promotions.promotion(id)
--          words_key   rewards.promotions.promotion_words(id)
--          days_key    rewards.promotions.promotion_days(id)
--          running     rewards.promotions.running_promotions(id)
-- WRITES   all keys but user

local KEPT_MS = 90 * 86400000

-- What is left of the budget goes back to the member, if the account exists. A post that was
-- promoted before has a reference for each run.
local function end_promotion()
  local run, budget, spent = unpack(redis.call('HMGET', promotion, 'run', 'budget', 'spent'))
  local rest = tonumber(budget) - math.floor(tonumber(spent) / 1000)
  redis.call('HSET', promotion, 'state', 'ended', 'open', '')
  redis.call('ZREM', running, id)
  for _, key in ipairs({promotion, words_key, days_key}) do
    redis.call('PEXPIRE', key, KEPT_MS)
  end
  if rest > 0 and redis.call('HEXISTS', user, 'login') == 1 then
    book(rest, 'promotion', 'promotion_rest:' .. id .. ':' .. run)
  end
end
