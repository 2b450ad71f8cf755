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

-- Return why the sale takes no such payment now, or nil.
local function refusal_of_sale()
  if not fields.owner then return 'NOITEM ' .. id end
  if fields.owner == uid then return 'OWNITEM ' .. id end
  local fits = (what == 'bid') == (fields.sale == 'auction')
  if fields.state ~= 'listed' or not fits then return 'ITEMSOLD ' .. id end
  if now < tonumber(fields.begins) then return 'SALENOTOPEN ' .. id end
  if fields.ends ~= '0' and now >= tonumber(fields.ends) then return 'SALEENDED ' .. id end
end

-- Return why this amount of this member is not taken, or false. Bids and offers are limited.
local function refusal_of_amount()
  if what == 'purchase' then return price ~= tonumber(amount) and 'PRICECHANGED ' .. price end
  if what == 'bid' then
    if fields.bidder == uid then return 'BIDHIGHEST ' .. id end
    local lowest = math.max(price, tonumber(fields.bid or 0) + 1)
    if tonumber(amount) < lowest then return 'BIDLOW ' .. lowest end
  end
  for _, row in ipairs(redis.call('HVALS', holds)) do
    if cjson.decode(row).uid == uid then return 'ITEMASKED ' .. id end
  end
  if redis.call('HLEN', holds) >= tonumber(most) then return 'HOLDSFULL ' .. id end
end

local refusal = refusal_of_sale() or refusal_of_amount()
if refusal then return redis.error_reply(refusal) end
refusal = behind()
if refusal then return refusal end

local number = change('state', what == 'purchase' and 'reserved' or 'listed')
redis.call('HSET', holds, number, cjson.encode({uid = uid, amount = tonumber(amount), what = what,
  state = 'asked', at = now}))
begin_trade(fields, number, {hold = tostring(number),
  buyer = uid, seller = fields.owner, amount = amount, deadline = id_text(now + PAY_MS)})
return 1
