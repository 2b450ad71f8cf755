-- Payments that are held for an item, and what members get because of it.

-- Owe a member points, 0 for the news alone; `what` is the news, or ''. The same `reference` is
-- never paid twice. `price`: what the news names, if that is not the amount.
local function owe(sale, reference, uid, amount, what, price)
  local row = cjson.encode({uid = tostring(uid), amount = tonumber(amount), what = what,
    price = tonumber(price or amount)})
  redis.call('HSET', sale.payouts, reference, row)
end

local function hold_of(sale, number)
  local row = redis.call('HGET', sale.holds, number)
  return row and cjson.decode(row)
end

-- Give the points of a hold back.
local function give_back(sale, number, what)
  local hold = hold_of(sale, number)
  if not hold then return end
  redis.call('HDEL', sale.holds, number)
  owe(sale, 'refund:' .. number, hold.uid, hold.amount, what)
end

-- Give the points of all paid holds back. Those that are being paid find the sale ended.
local function give_all_back(sale, what)
  local rows = redis.call('HGETALL', sale.holds)
  for at = 1, #rows, 2 do
    if cjson.decode(rows[at + 1]).state == 'held' then give_back(sale, rows[at], what) end
  end
end
