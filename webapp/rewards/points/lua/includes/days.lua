-- Days of the calendar, counted from 1970-01-01, and the check-ins on them.

local MONTHS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

local function today_at(offset) return math.floor((now_us() / 1000000 + offset) / 86400) end

-- Return the day on which a year begins.
local function first_day(year)
  local past = year - 1
  local leaps = math.floor(past / 4) - math.floor(past / 100) + math.floor(past / 400)
  return past * 365 + leaps - 719162
end

local function year_of(day)
  local year = 1970 + math.floor(day / 365.2425)
  if first_day(year) > day then year = year - 1 end
  if first_day(year + 1) <= day then year = year + 1 end
  return year
end

-- Return the month of a day, as year * 12 + month.
local function month_of(day)
  local year = year_of(day)
  local place, leap = day - first_day(year), first_day(year + 1) - first_day(year) - 365
  for month, days in ipairs(MONTHS) do
    if month == 2 then days = days + leap end
    if place < days then return year * 12 + month end
    place = place - days
  end
end

-- Mark a day. `bits`: the keys of years begin with it.
local function mark(bits, day)
  local year = year_of(day)
  redis.call('SETBIT', bits .. year, day - first_day(year), 1)
end

-- Return how many days in a row are marked that end with `day`.
local function streak_at(bits, day)
  local streak, year, first, marked = 0, nil, day + 1, nil
  while true do
    if day < first then
      year = year_of(day)
      first, marked = first_day(year), redis.call('GET', bits .. year) or ''
    end
    local place = day - first
    local byte = string.byte(marked, math.floor(place / 8) + 1) or 0
    if math.floor(byte / 2 ^ (7 - place % 8)) % 2 == 0 then return streak end
    streak, day = streak + 1, day - 1
  end
end
