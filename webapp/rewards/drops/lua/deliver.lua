-- List an order with its member, unless the member left.
--
-- KEYS     user     accounts.user(uid)
--          orders   rewards.drops.orders(uid)
-- ARGV     drop    its id
--          at      when it was ordered, unix ms
-- RETURNS  1 if it is there now, else 0
-- WRITES   orders

local ORDERS_MAX = 500
if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
redis.call('ZADD', orders, at, drop)
redis.call('ZREMRANGEBYRANK', orders, 0, -ORDERS_MAX - 1)
return 1
