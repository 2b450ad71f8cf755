-- Sales of an item: payments that are held for it, and what members get because of it.
-- include core/store/lua/includes/ids.lua
-- include rewards/chains/lua/includes/begin_chain.lua

local PRICES_MAX, OFFER_MS, EXTENSION_MS = 50, 48 * 3600000, 120000

-- `sale`: the keys item, holds, payouts, prices, due, chains and due_chains, and the item's id.
-- This adds its `fields` by name.
local function load_sale(sale)
  local flat = redis.call('HGETALL', sale.item)
  sale.fields = {}
  for at = 1, #flat, 2 do sale.fields[flat[at]] = flat[at + 1] end
  return sale.fields
end

-- Change fields of an item, given as names and values. Return its new version.
local function change(sale, ...)
  redis.call('HSET', sale.item, ...)
  return redis.call('HINCRBY', sale.item, 'version', 1)
end

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

-- End a sale: the item is held, by `owner`.
local function end_sale(sale, owner)
  redis.call('HDEL', sale.item, 'price', 'sale', 'listed', 'begins', 'ends', 'hold', 'bid',
    'bidder')
  redis.call('ZREM', sale.due, sale.id)
  return change(sale, 'state', 'held', 'owner', owner)
end

-- Give the item to the member who paid the hold, and the points to its owner.
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

-- Note when something ends next: an offer or the sale.
local function note_end(sale)
  local next = tonumber(redis.call('HGET', sale.item, 'ends') or 0)
  local rows = redis.call('HVALS', sale.holds)
  for _, row in ipairs(rows) do
    local ends = cjson.decode(row)['until']
    if ends and (next == 0 or ends < next) then next = ends end
  end
  if next > 0 then redis.call('ZADD', sale.due, id_text(next), sale.id)
  else redis.call('ZREM', sale.due, sale.id) end
end

-- Begin the chain that pays, tells and lists what a script changed. The script emits the event.
-- `values`: more than the item and its title. Return its id.
local function begin_trade(sale, version, values)
  local chain = sale.id .. ':' .. version
  values.item, values.title = sale.id, sale.fields.title
  begin_chain(sale.chains, sale.due_chains, chain, values)
  return chain
end
