-- Bring an order into its next state, once. A refused one gives its piece back.
--
-- KEYS     drop     rewards.drops.drop(id)
--          orders   rewards.drops.drop_orders(id)
-- ARGV     uid
--          number
--          before   the state that it must be in
--          after    the next one
-- RETURNS  1 if it is in the state `after` now, else 0

local stored = redis.call('HGET', orders, uid) or ''
local own, state, kept = string.match(stored, '^(%d+) (%a+) %d+(.*)$')
if own ~= number then return 0 end
if state ~= before then return state == after and 1 or 0 end
redis.call('HSET', orders, uid, number .. ' ' .. after .. ' ' .. id_text(now_ms()) .. kept)
if after == 'refused' then redis.call('HINCRBY', drop, 'left', 1) end
if after == 'refused' and kept ~= '' then redis.call('HINCRBY', drop, 'kept', 1) end
return 1
