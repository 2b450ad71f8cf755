-- Store a drop, or other values of one that has not opened yet.
--
-- KEYS     drop   rewards.drops.drop(id)
-- ARGV     is_new   1, or 0 for a drop that must exist
--          title
--          about
--          kind
--          price
--          stock
--          opens    unix ms
--          closes   unix ms
--          days     since joining that a member needs
--          share    percent of the pieces that are kept for first pieces
-- ERRORS   NODROP, DROPOPEN

local opened = redis.call('HGET', drop, 'opens')
if is_new ~= '1' and not opened then refuse('NODROP', id) end
if opened and tonumber(opened) <= now_ms() then refuse('DROPOPEN', id) end
redis.call('HSET', drop, 'title', title, 'about', about, 'kind', kind, 'price', price,
  'stock', stock, 'left', stock, 'opens', opens, 'closes', closes, 'taken', 0,
  'days', days, 'share', share, 'kept', math.floor(stock * share / 100))
redis.call('PEXPIREAT', drop, tonumber(closes) + 90 * 86400000)
return 1
