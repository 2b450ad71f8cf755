-- Purpose: push a new status into homes: of members who are active and, by their own list, follow its author now.
-- KEYS: 1 = keys.fences; then for each partition keys.active and, for each of its homes, keys.home and keys.following
-- ARGV: 1 = source  2 = token  3 = entry  4 = id  5 = author  6 = HOME_MAX  7 = HOME_SLACK; then for each partition the number of
--       its homes and their uids
-- Returns: how many homes have it now   Errors: LEASELOST   Writes: the homes, KEYS[1]
-- include fence.lua
-- include timelines/trim.lua
local source, token, entry, id, author = unpack(ARGV, 1, 5)
local cap, slack = tonumber(ARGV[6]), tonumber(ARGV[7])
local refusal = stale(KEYS[1], source, token)
if refusal then return refusal end
local key, arg, delivered = 2, 8, 0
while arg <= #ARGV do
  local homes = tonumber(ARGV[arg])
  local visits = redis.call('ZMSCORE', KEYS[key], unpack(ARGV, arg + 1, arg + homes))
  for index = 1, homes do
    local home, following = KEYS[key + 2 * index - 1], KEYS[key + 2 * index]
    if visits[index] and redis.call('ZSCORE', following, author) then
      redis.call('ZADD', home, id, entry)
      trim(home, cap, slack)
      delivered = delivered + 1
    end
  end
  key, arg = key + 1 + 2 * homes, arg + 1 + homes
end
return delivered
