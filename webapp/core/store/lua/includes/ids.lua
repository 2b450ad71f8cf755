-- Purpose: make and write 53-bit ids. An id is a string outside arithmetic: tostring and .. turn numbers over 1e14 into 4.5e+15.
local EPOCH_MS = 1767225600000
local function id_text(number) return string.format('%.0f', number) end
local function now_us()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local function now_ms() return math.floor(now_us() / 1000) end
-- When a status was posted, unix ms.
local function created_ms(id) return math.floor(tonumber(id) / 4096) + EPOCH_MS end
-- The next id of a partition: later than `last` (a string or false) even when the clock steps back. ms * 4096 + sequence * 64 + partition.
local function next_id(last, ms, partition)
  local base = (ms - EPOCH_MS) * 64
  if last then
    local previous = math.floor(tonumber(last) / 64)
    if previous >= base then base = previous + 1 end
  end
  return id_text(base * 64 + partition)
end
