-- The points that count on boards.

local MINUTES = 2 ^ 26

-- Add points to a member's scores of this week and of all time. Only the week before stays.
local function earn(earned, amount)
  local minute = math.floor(now_us() / 60000000)
  local week = math.floor((math.floor(minute / 1440) + 3) / 7)
  for _, when in ipairs({week, 'all'}) do
    local score = tonumber(redis.call('HGET', earned, when) or 0)
    local sum = math.floor(score / MINUTES) + amount
    redis.call('HSET', earned, when, id_text(sum * MINUTES + MINUTES - 1 - minute))
  end
  for _, when in ipairs(redis.call('HKEYS', earned)) do
    if when ~= 'all' and tonumber(when) < week - 1 then redis.call('HDEL', earned, when) end
  end
end
