-- Deliver new statuses, each to the homes of active members who follow its author now.
--
-- A visit below 0 means that the member unfollowed somebody lately. Then the member's own list of
-- follows decides, as the author's list of followers may not show it yet.
--
-- KEYS     fences          core.events.fences(tag)
--          partitions...   for each partition, all or one alone: its active members, and the
--                          beginnings of its homes and of its lists of follows
-- ARGV     home_max
--          home_slack
--          deliveries...   for each status: its entry, id, author, the uid it answers ('' for
--                          none; they must be followed too), and the uids to deliver to, spaced
-- RETURNS  the number of deliveries that are in homes now
-- WRITES   partitions
-- FENCED

local call, MINUS = redis.call, 45
local limit, slack = tonumber(home_max), tonumber(home_slack)

local partition_count = #partitions / 3
local uids, places = {}, {} -- by partition: members, and where their status begins in deliveries
for place = 1, #deliveries, 5 do
  for uid in string.gmatch(deliveries[place + 4], '%d+') do
    local p = uid % partition_count
    if not uids[p] then uids[p], places[p] = {}, {} end
    local n = #uids[p] + 1
    uids[p][n], places[p][n] = uid, place
  end
end

-- To ask a home for its size takes a tenth of a delivery's time. One delivery in four asks, other
-- ones in each millisecond.
local trim_every = slack < 16 and 1 or 4
local turn = math.floor(tonumber(deliveries[2]) / 4096)
local delivered = 0
for p, members in pairs(uids) do
  local active, home_prefix, following_prefix = unpack(partitions, 3 * p + 1, 3 * p + 3)
  local visits = call('ZMSCORE', active, unpack(members))
  for i, uid in ipairs(members) do
    local visit, place = visits[i], places[p][i]
    local entry, id = deliveries[place], deliveries[place + 1]
    local author, reply_to = deliveries[place + 2], deliveries[place + 3]
    if visit and (string.byte(visit) ~= MINUS or call('ZSCORE', following_prefix .. uid, author))
      and (reply_to == '' or reply_to == uid
        or call('ZSCORE', following_prefix .. uid, reply_to)) then
      local home = home_prefix .. uid
      call('ZADD', home, id, entry)
      if (turn + i) % trim_every == 0 then trim(home, limit, slack) end
      delivered = delivered + 1
    end
  end
end
return delivered
