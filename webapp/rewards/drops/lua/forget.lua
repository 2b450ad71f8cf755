-- Erase the order of a deleted member, once it has ended.
--
-- KEYS     orders   rewards.drops.drop_orders(id)
-- ARGV     uid
-- FENCED

local order = redis.call('HGET', orders, uid) or ''
if string.find(order, ' refused ', 1, true) or string.find(order, ' delivered ', 1, true) then
  redis.call('HDEL', orders, uid)
end
return 1
