-- Ends of a sale.
-- include rewards/market/lua/includes/sale.lua
-- include rewards/market/lua/includes/holds.lua

local PRICES_MAX = 50

-- End a sale: the item is held, by `owner`. Return its new version.
local function end_sale(sale, owner)
  redis.call('HDEL', sale.item, 'price', 'sale', 'listed', 'begins', 'ends', 'hold', 'bid',
    'bidder')
  redis.call('ZREM', sale.due, sale.id)
  return change(sale, 'state', 'held', 'owner', owner)
end

-- Give the item to the member who paid the hold, and the points to its owner. Return both.
local function hand_over(sale, number)
  local hold, seller = hold_of(sale, number), sale.fields.owner
  local since = math.max(now_us(), tonumber(sale.fields.since) + 1)
  redis.call('HDEL', sale.holds, number)
  give_all_back(sale, 'late')
  end_sale(sale, hold.uid)
  redis.call('HSET', sale.item, 'since', id_text(since))
  redis.call('HDEL', sale.item, 'refused', 'abandoned')
  redis.call('LPUSH', sale.prices, hold.amount .. ' ' .. id_text(now_ms()))
  redis.call('LTRIM', sale.prices, 0, PRICES_MAX - 1)
  owe(sale, 'sale:' .. number, seller, hold.amount, 'sold')
  owe(sale, 'purchase:' .. number, hold.uid, 0, 'bought', hold.amount)
  return hold.uid, seller
end
