-- End what has ended at an item: offers after two days, sales at their time. The highest bidder of
-- an auction gets the item.
--
-- KEYS     item        rewards.items.item(id)
--          holds       rewards.market.item_holds(id)
--          payouts     rewards.market.item_payouts(id)
--          prices      rewards.market.item_prices(id)
--          due         rewards.market.due_sales(id)
--          chains      rewards.chains.chains(id, 'trade')
--          due_chains  rewards.chains.due_chains(id, 'trade')
-- RETURNS  1
-- WRITES   all keys
-- EMITS    chain_begun
-- include rewards/market/lua/includes/hand_over.lua

local sale = {item = item, holds = holds, payouts = payouts, prices = prices, due = due,
  chains = chains, due_chains = due_chains, id = id}
local fields, now, values = load_sale(sale), now_ms(), {}
if not fields.owner then return redis.call('ZREM', due, id) end

-- Return true if a bid or an offer is being paid: the sale waits for it, the payment has its end.
local function is_paid_for()
  for _, row in ipairs(redis.call('HVALS', holds)) do
    if cjson.decode(row).state == 'asked' then return true end
  end
end

local has_ended = fields.state == 'listed' and fields.ends ~= '0' and now >= tonumber(fields.ends)
if fields.state == 'reserved' or (has_ended and is_paid_for()) then
  redis.call('ZADD', due, id_text(now + 1000), id)
  return 1
end
local rows = redis.call('HGETALL', holds)
for at = 1, #rows, 2 do
  local ends = cjson.decode(rows[at + 1])['until']
  if ends and now >= ends then give_back(sale, rows[at], 'declined') end
end
if has_ended and fields.bid then
  values.buyer, values.seller = hand_over(sale, fields.hold)
elseif has_ended then
  give_all_back(sale, 'withdrawn')
  owe(sale, 'unsold:' .. end_sale(sale, fields.owner), fields.owner, 0, 'unsold', fields.price)
end
note_end(sale)
local version = redis.call('HINCRBY', item, 'version', 1)
emit('chain_begun', 'kind', 'trade', 'id', begin_trade(sale, version, values))
return 1
