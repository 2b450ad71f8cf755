-- Find names by a prefix, those of the highest rank first, and in the order of their letters.
-- Reads at most twice as many entries of each rank as it returns: a member may be found by two.
--
-- KEYS     ranks...   zsets of `word uid` or `word` -> 0, the lowest rank first
-- ARGV     prefix
--          found_max   most names
-- RETURNS  the uids, or the words, each once
-- WRITES   nothing

local found, is_found = {}, {}
local first, last = '[' .. prefix, '(' .. prefix .. '\255'
for rank = #ranks, 1, -1 do
  local entries = redis.call('ZRANGE', ranks[rank], first, last, 'BYLEX', 'LIMIT', 0, 2 * found_max)
  for _, entry in ipairs(entries) do
    local name = string.match(entry, ' (.*)$') or entry
    if not is_found[name] then
      is_found[name] = true
      found[#found + 1] = name
      if #found == tonumber(found_max) then return found end
    end
  end
end
return found
