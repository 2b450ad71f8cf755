-- Find what is for sale by parts of its title, in the order of names.
--
-- KEYS     names   rewards.market.market_list('name')
-- ARGV     after   '-', or '(' and the member after which to go on
--          size    most members
--          parts...   of a folded title
-- RETURNS  members of `names`
-- WRITES   nothing

local STEP = 1000
local found = {}

local function has_all(title)
  for _, part in ipairs(parts) do
    if not string.find(title, part, 1, true) then return false end
  end
  return true
end

repeat
  local rows = redis.call('ZRANGE', names, after, '+', 'BYLEX', 'LIMIT', 0, STEP)
  for _, row in ipairs(rows) do
    if has_all(string.match(row, '^(.*):')) then found[#found + 1] = row end
    if #found == tonumber(size) then return found end
  end
  after = '(' .. (rows[#rows] or '')
until #rows < STEP
return found
