-- Close a drop now. Orders that were made go on.
--
-- KEYS     drop   rewards.drops.drop(id)
-- ERRORS   NODROP

local closes = redis.call('HGET', drop, 'closes')
if not closes then refuse('NODROP', id) end
redis.call('HSET', drop, 'closes', id_text(math.min(tonumber(closes), now_ms())))
return 1
