-- Store a drop.
--
-- KEYS     drop   rewards.drops.drop(id)
-- ARGV     id
--          title
--          about
--          kind
--          price
--          stock
--          opens    unix ms
--          closes   unix ms
-- RETURNS  1
-- WRITES   drop

redis.call('HSET', drop, 'title', title, 'about', about, 'kind', kind, 'price', price,
  'stock', stock, 'left', stock, 'opens', opens, 'closes', closes, 'taken', 0)
redis.call('PEXPIREAT', drop, tonumber(closes) + 90 * 86400000)
return 1
