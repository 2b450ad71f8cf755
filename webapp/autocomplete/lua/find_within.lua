-- Find names that contain all of some words, those of the highest rank first.
-- Looks at a part of the index only: `scan_max` names.
--
-- KEYS     ranks...   zsets of names -> 0, the lowest rank first
-- ARGV     scan_max    most names that are examined
--          found_max   most names that are returned
--          words...
-- RETURNS  the names
-- WRITES   nothing

local function has_all(name)
  for _, word in ipairs(words) do
    if not string.find(name, word, 1, true) then return false end
  end
  return true
end

local found, left = {}, tonumber(scan_max)
for rank = #ranks, 1, -1 do
  if left <= 0 then break end
  local names = redis.call('ZRANGE', ranks[rank], 0, left - 1)
  left = left - #names
  for _, name in ipairs(names) do
    if has_all(name) then found[#found + 1] = name end
    if #found == tonumber(found_max) then return found end
  end
end
return found
