-- Purpose: take a deleted status out of homes.
-- KEYS: 1 = keys.fences; then for each partition the beginning of its keys.home
-- ARGV: 1 = source  2 = token  3 = entry; then for each partition its uids, spaced
-- Returns: how many homes had it   Errors: LEASELOST   Writes: KEYS[1] and homes below the beginnings
-- include core/events/lua/includes/fence.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
local call, removed = redis.call, 0
for part = 4, #ARGV do
  local home_of = KEYS[part - 2]
  for uid in string.gmatch(ARGV[part], '%d+') do removed = removed + call('ZREM', home_of .. uid, ARGV[3]) end
end
return removed
