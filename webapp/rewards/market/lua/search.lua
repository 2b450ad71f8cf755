-- Find what is for sale in one of its orders, by kind, price and parts of its title. A member of an
-- earlier form, without kind and price, is found too: the reader compares the item.
--
-- KEYS     list   rewards.market.market_list(order)
-- ARGV     order   name if there are parts
--          after   '-', or '(' and the member after which to go on
--          size    most members
--          kind    or '' for all
--          most    the highest price, in seven digits
--          parts...   of a folded title
-- RETURNS  members of the list
-- WRITES   nothing

local STEP = 1000
local found = {}

local function has_all(text)
  for _, part in ipairs(parts) do
    if not string.find(text, part, 1, true) then return false end
  end
  return true
end

local function fits(row)
  if not has_all(row) then return false end -- most rows, and this costs least
  local ends, of, price = string.match(row, '():(%a+) (%d+):%d+$')
  if of and (price > most or kind ~= '' and of ~= kind) then return false end
  return #parts == 0 or has_all(ends and row:sub(1, ends - 1) or string.match(row, '^(.*):'))
end

repeat
  local rows = redis.call('ZRANGE', list, after, '+', 'BYLEX', 'LIMIT', 0, STEP)
  for _, row in ipairs(rows) do
    if fits(row) then found[#found + 1] = row end
    if #found == tonumber(size) then return found end
  end
  after = '(' .. (rows[#rows] or '')
until #rows < STEP
return found
