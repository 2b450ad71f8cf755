-- Add items to a Bloom filter. A current half that is full makes room: the other one is cleared and
-- takes its place. An item that the current half has already is not counted again.
--
-- KEYS     filter     string: two counters of 32 bits (items of the current half; which one it is),
--                     then two halves of bits
-- ARGV     bits       of one half, a multiple of 8
--          hashes     bits that an item sets
--          capacity   items of one half
--          seconds    until it expires; 0 for never
--          items...
-- RETURNS  how many items were new to the current half
-- WRITES   filter
-- include core/store/bloom/lua/includes/bloom.lua

local width, count_hashes = tonumber(bits), tonumber(hashes)
local count, half = unpack(redis.call('BITFIELD', filter, 'GET', 'u32', 0, 'GET', 'u32', 32))
local added = 0
for _, item in ipairs(items) do
  local places = bloom_places(item, width, count_hashes)
  if not bloom_has(filter, half, places, width) then
    if count >= tonumber(capacity) then
      count, half = 0, 1 - half
      local first_byte = bloom_half(half, width) / 8
      redis.call('SETRANGE', filter, first_byte, string.rep('\0', width / 8))
    end
    local start = bloom_half(half, width)
    for _, place in ipairs(places) do redis.call('SETBIT', filter, start + place, 1) end
    count, added = count + 1, added + 1
  end
end
redis.call('BITFIELD', filter, 'SET', 'u32', 0, count, 'SET', 'u32', 32, half)
if seconds ~= '0' then redis.call('EXPIRE', filter, seconds) end
return added
