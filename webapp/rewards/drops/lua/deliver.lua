-- List an order with its member, and put what was paid into the inventory, unless the member left.
--
-- KEYS     user        accounts.user(uid)
--          orders      rewards.drops.orders(uid)
--          inventory   rewards.drops.inventory(uid)
-- ARGV     uid
--          drop    its id
--          at      when it was ordered, unix ms
--          limit   most orders that are listed
--          chain   names the piece
--          row     the piece, as the inventory keeps it; '' if the order was refused
-- RETURNS  1 if it is there now, else 0
-- WRITES   orders, inventory

if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
redis.call('ZADD', orders, at, drop)
redis.call('ZREMRANGEBYRANK', orders, 0, -tonumber(limit) - 1)
if row == '' then return 0 end
redis.call('HSETNX', inventory, chain, row)
return 1
