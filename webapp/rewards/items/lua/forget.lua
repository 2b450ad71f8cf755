-- Erase an item whose owner's account is gone, unless it is for sale.
--
-- KEYS     item   rewards.items.item(id)
-- ARGV     uid    of that owner
-- RETURNS  0 if it is for sale, else 1: it is erased, or belongs to somebody else

local owner, state = unpack(redis.call('HMGET', item, 'owner', 'state'))
if owner ~= uid then return 1 end
if state ~= 'held' then return 0 end
return redis.call('DEL', item)
