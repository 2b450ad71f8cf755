-- Read which items a Bloom filter has, probably.
--
-- KEYS     filter   string, as in add.lua
-- ARGV     bits       of one half
--          hashes     bits that an item sets
--          items...
-- RETURNS  1 for each item that it has, 0 for each that was never added
-- WRITES   nothing

local width, count_hashes = tonumber(bits), tonumber(hashes)
local found = {}
for i, item in ipairs(items) do
  local places = bloom_places(item, width, count_hashes)
  local has = bloom_has(filter, 0, places, width) or bloom_has(filter, 1, places, width)
  found[i] = has and 1 or 0
end
return found
