-- Purpose: take a deleted account out of the follows and the homes of those who followed it.
-- KEYS: 1 = keys.fences; then for each partition the beginnings of its keys.following and its keys.home
-- ARGV: 1 = source  2 = token  3 = the deleted member's uid; then for each partition its followers' uids, spaced
-- Returns: how many followed it   Errors: LEASELOST   Writes: KEYS[1], and follows and homes below the beginnings
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
local author, forgotten = ARGV[3], 0
for part = 4, #ARGV do
  local key = 2 * part - 6
  for uid in string.gmatch(ARGV[part], '%d+') do
    forgotten = forgotten + redis.call('ZREM', KEYS[key] .. uid, author)
    leave(KEYS[key + 1] .. uid, author)
  end
end
return forgotten
