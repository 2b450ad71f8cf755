-- Purpose: push a new status into homes of members who are active and follow its author now. Whoever has unfollowed
-- somebody lately (their visit is below 0) is asked for their own list: the author's may not know of it yet.
-- KEYS: 1 = keys.fences; then for each partition keys.active and the beginnings of its keys.home and its keys.following
-- ARGV: 1 = source  2 = token  3 = entry  4 = id  5 = author  6 = whom it answers, whom they must follow too; '' for nobody
--       7 = HOME_MAX  8 = HOME_SLACK; then for each partition its uids, spaced
-- Returns: how many homes have it now   Errors: LEASELOST   Writes: KEYS[1] and homes below the beginnings
-- include fence.lua
-- include ids.lua
-- include timelines/trim.lua
local source, token, entry, id, author, to = unpack(ARGV, 1, 6)
local cap, slack = tonumber(ARGV[7]), tonumber(ARGV[8])
local refusal = stale(KEYS[1], source, token)
if refusal then return refusal end
local MINUS, delivered = 45, 0
-- Asking a home for its size is a tenth of a delivery's time: one in four asks, other ones in each millisecond.
local every = slack < 16 and 1 or 4
local turn = math.floor(tonumber(id) / 4096)
for part = 9, #ARGV do
  local key = 3 * part - 25
  local home_of, following_of, uids = KEYS[key + 1], KEYS[key + 2], {}
  for uid in string.gmatch(ARGV[part], '%d+') do uids[#uids + 1] = uid end
  local visits = call('ZMSCORE', KEYS[key], unpack(uids))
  for index, uid in ipairs(uids) do
    local visit = visits[index]
    if visit and (string.byte(visit) ~= MINUS or call('ZSCORE', following_of .. uid, author))
      and (to == '' or to == uid or call('ZSCORE', following_of .. uid, to)) then
      local home = home_of .. uid
      call('ZADD', home, id, entry)
      if (turn + index) % every == 0 then trim(home, cap, slack) end
      delivered = delivered + 1
    end
  end
end
return delivered
