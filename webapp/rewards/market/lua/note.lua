-- Note news of the market for a member, once, unless the account is gone.
--
-- KEYS     user     accounts.user(uid)
--          trades   rewards.market.trades(uid)
-- ARGV     entry
-- WRITES   trades
-- EMITS    traded

local TRADES_MAX = 200
if redis.call('HEXISTS', user, 'login') == 0 then return 1 end
if redis.call('ZADD', trades, 'NX', id_text(now_us()), entry) == 1 then
  redis.call('ZREMRANGEBYRANK', trades, 0, -TRADES_MAX - 1)
  emit('traded', 'uid', uid, 'entry', entry)
end
return 1
