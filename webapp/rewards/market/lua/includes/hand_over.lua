-- Ends of a sale.
--
-- KEYS     prices   rewards.market.item_prices(id)

local PRICES_MAX = 50

-- End a sale: the item is held, by `owner`. Return its new version.
local function end_sale(owner)
  redis.call('HDEL', item, 'price', 'sale', 'listed', 'begins', 'ends', 'hold', 'bid',
    'bidder')
  redis.call('ZREM', due, id)
  return change('state', 'held', 'owner', owner)
end

-- Give the item to the member who paid the hold, and the points to its owner. Return both.
local function hand_over(fields, number)
  local hold, seller = hold_of(number), fields.owner
  local since = math.max(now_us(), tonumber(fields.since) + 1)
  redis.call('HDEL', holds, number)
  give_all_back('late')
  end_sale(hold.uid)
  redis.call('HSET', item, 'since', id_text(since))
  redis.call('HDEL', item, 'refused', 'abandoned')
  redis.call('LPUSH', prices, hold.amount .. ' ' .. id_text(now_ms()))
  redis.call('LTRIM', prices, 0, PRICES_MAX - 1)
  owe('sale:' .. number, seller, hold.amount, 'sold')
  owe('purchase:' .. number, hold.uid, 0, 'bought', hold.amount)
  return hold.uid, seller
end
