-- Make and format 53-bit ids: ms since 2026 * 4096 + sequence * 64 + partition.
-- Outside arithmetic an id is a string: tostring and .. turn numbers over 1e14 into 4.5e+15.
local EPOCH_MS = 1767225600000

local function id_text(number) return string.format('%.0f', number) end

local function now_us()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function now_ms() return math.floor(now_us() / 1000) end

-- Return when a status was posted, in unix ms.
local function created_ms(id) return math.floor(tonumber(id) / 4096) + EPOCH_MS end

-- Return a partition's next id. It is later than `last` (a string, or false) even if the clock
-- was set back.
local function next_id(last, ms, partition)
  local base = (ms - EPOCH_MS) * 64
  if last then
    local previous = math.floor(tonumber(last) / 64)
    if previous >= base then base = previous + 1 end
  end
  return id_text(base * 64 + partition)
end
