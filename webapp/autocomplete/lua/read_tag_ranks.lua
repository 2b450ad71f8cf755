-- Read the ranks under which the index of hashtags has a hashtag.
--
-- KEYS     ranks...   zsets: name -> 0, the lowest rank first
-- ARGV     name
-- RETURNS  the ranks, from 0
-- WRITES   nothing

local found = {}
for index, key in ipairs(ranks) do
  if redis.call('ZSCORE', key, name) then found[#found + 1] = index - 1 end
end
return found
