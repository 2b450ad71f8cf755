-- Remove a deleted status from homes.
--
-- KEYS     fences             hash: the newest token of each source
--          home_prefixes...   for each partition the beginning of its homes
-- ARGV     source
--          token
--          entry
--          uids...            for each partition its members, spaced
-- RETURNS  the number of homes that had it
-- ERRORS   LEASELOST
-- WRITES   fences, the homes
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local removed = 0
for i, home_prefix in ipairs(home_prefixes) do
  for uid in string.gmatch(uids[i], '%d+') do
    removed = removed + redis.call('ZREM', home_prefix .. uid, entry)
  end
end
return removed
