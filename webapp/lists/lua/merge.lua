-- Purpose: put what the members of a list wrote and boosted into its timeline, which is whole then unless its members changed meanwhile.
-- KEYS: 1 = keys.list_members  2 = keys.list_home  3 = keys.active_lists   (of its owner)
-- ARGV: 1 = uid of the owner  2 = number  3 = mark of the rebuild  4 = LIST_HOME_MAX  5… = entries
-- Returns: 1, or 0 where it is to be built once more   Errors: none   Writes: KEYS 2, 3
-- include core/store/lua/includes/ids.lua
-- include timelines/lua/includes/parse_entry.lua
local members, home, active = unpack(KEYS)
local uid, number, mark, cap = unpack(ARGV, 1, 4)
local name = uid .. ':' .. number
local visit = redis.call('ZSCORE', active, name)
if not visit then return 0 end
local function listed(other) return redis.call('ZSCORE', members, other) end
for at = 5, #ARGV do
  local id, author, to = parse(ARGV[at])
  if listed(author) and (to == '' or to == uid or listed(to)) then redis.call('ZADD', home, id, ARGV[at]) end
end
redis.call('ZREMRANGEBYRANK', home, 0, -(tonumber(cap) + 1))
if tonumber(visit) ~= tonumber(mark) then return 0 end
redis.call('ZADD', active, math.floor(now_us() / 1000000), name)
return 1
