-- Begin a payment for an item: a purchase, which reserves it, a bid or an offer.
--
-- KEYS     holds       rewards.market.item_holds(id)
-- ARGV     uid
--          what      purchase, bid or offer
--          amount    of a purchase: the price that the member saw
--          most      bids and offers for an item
-- ERRORS   NOITEM, OWNITEM, ITEMSOLD, PRICECHANGED, SALENOTOPEN, SALEENDED, BIDLOW, BIDHIGHEST,
--          ITEMASKED (the member has one already), HOLDSFULL
-- EMITS    chain_begun

local PAY_MS = 60000 -- that the payment may take
local fields = load_item()
local now, price = now_ms(), tonumber(fields.price or 0)

-- Refuse a payment that the sale does not take now.
local function require_sale()
  if not fields.owner then refuse('NOITEM', id) end
  if fields.owner == uid then refuse('OWNITEM', id) end
  local fits = (what == 'bid') == (fields.sale == 'auction')
  if fields.state ~= 'listed' or not fits then refuse('ITEMSOLD', id) end
  if now < tonumber(fields.begins) then refuse('SALENOTOPEN', id) end
  if fields.ends ~= '0' and now >= tonumber(fields.ends) then refuse('SALEENDED', id) end
end

-- Refuse an amount of this member that is not taken. Bids and offers are limited.
local function require_amount()
  if what == 'purchase' then return price == tonumber(amount) or refuse('PRICECHANGED', price) end
  if what == 'bid' then
    if fields.bidder == uid then refuse('BIDHIGHEST', id) end
    local lowest = math.max(price, tonumber(fields.bid or 0) + 1)
    if tonumber(amount) < lowest then refuse('BIDLOW', lowest) end
  end
  for _, row in ipairs(redis.call('HVALS', holds)) do
    if cjson.decode(row).uid == uid then refuse('ITEMASKED', id) end
  end
  if redis.call('HLEN', holds) >= tonumber(most) then refuse('HOLDSFULL', id) end
end

-- Return true if the member is buying the item already: the form came twice.
local function is_buying()
  for _, row in ipairs(redis.call('HVALS', holds)) do
    local hold = cjson.decode(row)
    if hold.what == 'purchase' and hold.uid == uid then return true end
  end
end

if what == 'purchase' and is_buying() then return 1 end
require_sale()
require_amount()
refuse_when_behind()

local number = change('state', what == 'purchase' and 'reserved' or 'listed')
redis.call('HSET', holds, number, cjson.encode({uid = uid, amount = tonumber(amount), what = what,
  state = 'asked', at = now}))
begin_trade(fields, number, {hold = tostring(number),
  buyer = uid, seller = fields.owner, amount = amount, deadline = id_text(now + PAY_MS)})
return 1
