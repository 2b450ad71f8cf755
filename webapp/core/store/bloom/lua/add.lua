-- Add items to a Bloom filter. A current half that is full makes room: the other one is cleared and
-- takes its place. An item that the current half has already is not counted again.
--
-- KEYS     filter   string: two counters of 32 bits (items of the current half; which one it is),
--                   then two halves of bits
-- ARGV     bits       of one half, a multiple of 8
--          hashes     bits that an item sets
--          capacity   items of one half
--          seconds    until it expires; 0 for never
--          items...
-- RETURNS  how many items were new to the current half

local added = bloom_add(filter, items, tonumber(bits), tonumber(hashes), tonumber(capacity))
if seconds ~= '0' then redis.call('EXPIRE', filter, seconds) end
return added
