-- The places of an item in a half of a Bloom filter, counted from the half's first bit. Two words
-- of a SHA-1 make any number of hashes (Kirsch, Mitzenmacher: "Less Hashing, Same Performance").
local function bloom_places(item, bits, hashes)
  local digest = redis.sha1hex(item)
  local first, step = tonumber(digest:sub(1, 8), 16), tonumber(digest:sub(9, 16), 16)
  local places = {}
  for i = 0, hashes - 1 do places[i + 1] = (first + i * step) % bits end
  return places
end

-- The number of the first bit of a half, 0 or 1, behind the header of eight bytes.
local function bloom_half(half, bits) return 64 + half * bits end

local function bloom_has(filter, half, places, bits)
  local start = bloom_half(half, bits)
  for _, place in ipairs(places) do
    if redis.call('GETBIT', filter, start + place) == 0 then return false end
  end
  return true
end
