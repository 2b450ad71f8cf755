-- Remove a deleted status from homes.
--
-- KEYS     fences             core.events.fences(tag)
--          home_prefixes...   for each partition the beginning of its homes
-- ARGV     entry
--          uids...   for each partition its members, spaced
-- RETURNS  the number of homes that had it
-- WRITES   home_prefixes
-- FENCED

local removed = 0
for i, home_prefix in ipairs(home_prefixes) do
  for uid in string.gmatch(uids[i], '%d+') do
    removed = removed + redis.call('ZREM', home_prefix .. uid, entry)
  end
end
return removed
