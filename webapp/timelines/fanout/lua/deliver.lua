-- Purpose: push new statuses, each to homes of its own, of members who are active and follow its author now. Whoever has
-- unfollowed somebody lately (their visit is below 0) is asked for their own list: the author's may not know of it yet.
-- KEYS: 1 = keys.fences; then for each partition, of all or of one alone, keys.active and the beginnings of its keys.home
--       and its keys.following
-- ARGV: 1 = source  2 = token  3 = HOME_MAX  4 = HOME_SLACK; then of each status its entry, id, author, whom it answers,
--       whom they must follow too ('' for nobody), and the uids who get it, spaced
-- Returns: how many of these deliveries are there now   Errors: LEASELOST   Writes: KEYS[1] and homes below the beginnings
-- include core/events/lua/includes/fence.lua
-- include core/store/lua/includes/ids.lua
-- include timelines/lua/includes/trim.lua
local source, token, cap, slack = unpack(ARGV, 1, 4)
local refusal = stale(KEYS[1], source, token)
if refusal then return refusal end
cap, slack = tonumber(cap), tonumber(slack)
local MINUS, delivered, partitions = 45, 0, (#KEYS - 1) / 3
local uids, at = {}, {}
for p = 0, partitions - 1 do uids[p], at[p] = {}, {} end
for status = 5, #ARGV, 5 do
  for uid in string.gmatch(ARGV[status + 4], '%d+') do
    local p = uid % partitions
    local n = #uids[p] + 1
    uids[p][n], at[p][n] = uid, status
  end
end
-- Asking a home for its size is a tenth of a delivery's time: one in four asks, other ones in each millisecond.
local every = slack < 16 and 1 or 4
local turn = math.floor(tonumber(ARGV[6]) / 4096)
for p = 0, partitions - 1 do
  local key = 3 * p + 2
  local home_of, following_of = KEYS[key + 1], KEYS[key + 2]
  local visits = uids[p][1] and call('ZMSCORE', KEYS[key], unpack(uids[p]))
  for index, uid in ipairs(uids[p]) do
    local visit, status = visits[index], at[p][index]
    local entry, id, author, to = ARGV[status], ARGV[status + 1], ARGV[status + 2], ARGV[status + 3]
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
