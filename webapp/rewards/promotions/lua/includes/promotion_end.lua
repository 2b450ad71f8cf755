-- End a promotion. What is left of the budget goes back to the member, if the account exists.
-- include core/store/lua/includes/ids.lua
-- include rewards/points/lua/includes/book.lua

local KEPT_MS = 90 * 86400000

-- `own`: the keys user, promotion, words, days, running. `account`: as `book` takes it. A post that
-- was promoted before has a reference for each run.
local function end_promotion(own, account, id)
  local run, budget, spent = unpack(redis.call('HMGET', own.promotion, 'run', 'budget', 'spent'))
  local rest = tonumber(budget) - math.floor(tonumber(spent) / 1000)
  redis.call('HSET', own.promotion, 'state', 'ended', 'open', '')
  redis.call('ZREM', own.running, id)
  for _, key in ipairs({own.promotion, own.words, own.days}) do
    redis.call('PEXPIRE', key, KEPT_MS)
  end
  if rest > 0 and redis.call('HEXISTS', own.user, 'login') == 1 then
    book(account, rest, 'promotion', 'promotion_rest:' .. id .. ':' .. run)
  end
end
