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

-- Add items to the current half. A full one makes room: the other is cleared and takes its place.
-- Return how many were new to the current half.
local function bloom_add(filter, items, bits, hashes, capacity)
  local count, half = unpack(redis.call('BITFIELD', filter, 'GET', 'u32', 0, 'GET', 'u32', 32))
  local added = 0
  for _, item in ipairs(items) do
    local places = bloom_places(item, bits, hashes)
    if not bloom_has(filter, half, places, bits) then
      if count >= capacity then
        count, half = 0, 1 - half
        local first_byte = bloom_half(half, bits) / 8
        redis.call('SETRANGE', filter, first_byte, string.rep('\0', bits / 8))
      end
      local start = bloom_half(half, bits)
      for _, place in ipairs(places) do redis.call('SETBIT', filter, start + place, 1) end
      count, added = count + 1, added + 1
    end
  end
  redis.call('BITFIELD', filter, 'SET', 'u32', 0, count, 'SET', 'u32', 32, half)
  return added
end
