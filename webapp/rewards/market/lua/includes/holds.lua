-- Payments that are held for an item, and what members get because of it.
--
-- KEYS     item      rewards.items.item(id)
--          holds     rewards.market.item_holds(id)
--          payouts   rewards.market.item_payouts(id)
--          due       rewards.market.due_sales(id)
-- WRITES   holds, payouts, due

-- Owe a member points, 0 for the news alone; `what` is the news, or ''. The same `reference` is
-- never paid twice. `price`: what the news names, if that is not the amount.
local function owe(reference, uid, amount, what, price)
  local row = cjson.encode({uid = tostring(uid), amount = tonumber(amount), what = what,
    price = tonumber(price or amount)})
  redis.call('HSET', payouts, reference, row)
end

local function hold_of(number)
  local row = redis.call('HGET', holds, number)
  return row and cjson.decode(row)
end

-- Give the points of a hold back.
local function give_back(number, what)
  local hold = hold_of(number)
  if not hold then return end
  redis.call('HDEL', holds, number)
  owe('refund:' .. number, hold.uid, hold.amount, what)
end

-- Give the points of all paid holds back. Those that are being paid find the sale ended.
local function give_all_back(what)
  local rows = redis.call('HGETALL', holds)
  for at = 1, #rows, 2 do
    if cjson.decode(rows[at + 1]).state == 'held' then give_back(rows[at], what) end
  end
end

-- Note when something ends next: an offer or the sale.
local function note_end()
  local next = tonumber(redis.call('HGET', item, 'ends') or 0)
  for _, row in ipairs(redis.call('HVALS', holds)) do
    local ends = cjson.decode(row)['until']
    if ends and (next == 0 or ends < next) then next = ends end
  end
  if next > 0 then redis.call('ZADD', due, id_text(next), id)
  else redis.call('ZREM', due, id) end
end
