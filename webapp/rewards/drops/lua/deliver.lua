-- List an order with its member, unless the member left.
--
-- KEYS     user     accounts.user(uid)
--          orders   rewards.drops.orders(uid)
--          first    rewards.drops.first_piece(uid)
-- ARGV     drop    its id
--          at      when it was ordered, unix ms
--          paid    1 if the member gets a piece, or ''
--          limit   most orders that are listed
-- RETURNS  1 if it is there now, else 0
-- WRITES   orders, first

if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
redis.call('ZADD', orders, at, drop)
redis.call('ZREMRANGEBYRANK', orders, 0, -(tonumber(limit) + 1))
if paid ~= '' then redis.call('SET', first, at, 'NX') end
return 1
