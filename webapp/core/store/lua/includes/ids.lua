-- Make and format 53-bit ids: ms since 2026 * 4096 + sequence * 64 + partition.
-- Outside arithmetic an id is a string: tostring and .. turn numbers over 1e14 into 4.5e+15.
local EPOCH_MS = 1767225600000
local OLD_SECONDS = 631152000 -- of the twenty years before
-- How far clocks of servers may differ. A later time was made by a wrong clock.
local AHEAD_MS = 300000

local function id_text(number) return string.format('%.0f', number) end

local began -- when the script did, in us
local function now_us()
  if not began then
    local time = redis.call('TIME')
    began = tonumber(time[1]) * 1000000 + tonumber(time[2])
  end
  return began
end

local function now_ms() return math.floor(now_us() / 1000) end

-- Return when a status was posted, in unix ms. Ids of imported posts before 2026 count seconds.
local function created_ms(id)
  local seconds = math.floor(tonumber(id) / 64)
  if seconds < OLD_SECONDS then return EPOCH_MS - (OLD_SECONDS - seconds) * 1000 end
  return math.floor(tonumber(id) / 4096) + EPOCH_MS
end

-- Return the smallest id of a time in unix ms.
local function first_id_at(ms) return id_text((ms - EPOCH_MS) * 4096) end

-- Return a partition's next id. It is later than `last` (a string, or false) and `after` (an id of
-- any partition, or nil), even if the clock was set back.
-- One that is more than AHEAD_MS ahead does not count, since a wrong clock made it. Its partition
-- may have others of that time, and must not make them again. So an id keeps to one quarter of the
-- 64 sequence numbers of a ms, that of `last`, and a wrong clock moves it on to the next quarter.
local function next_id(last, ms, partition, after)
  local limit = (ms + AHEAD_MS - EPOCH_MS) * 64
  local previous = math.floor(tonumber(last or 0) / 64)
  local quarter = math.floor(previous % 64 / 16)
  if previous > limit then previous, quarter = 0, (quarter + 1) % 4 end
  local next = (ms - EPOCH_MS) * 64 + quarter * 16
  if previous >= next then
    next = previous + 1
    if next % 16 == 0 then next = next + 48 end -- that quarter of the next ms
  end
  local above = math.floor(tonumber(after or 0) / 64)
  if above >= next and above <= limit then
    next = (math.floor(above / 64) + 1) * 64 + quarter * 16
  end
  return id_text(next * 64 + partition)
end
