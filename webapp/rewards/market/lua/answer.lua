-- Answer an offer: its owner accepts or declines it, or whoever made it takes it back.
--
-- KEYS     item        rewards.items.item(id)
--          holds       rewards.market.item_holds(id)
--          payouts     rewards.market.item_payouts(id)
--          prices      rewards.market.item_prices(id)
--          due         rewards.market.due_sales(id)
--          chains      rewards.chains.chains(id, 'trade')
--          due_chains  rewards.chains.due_chains(id, 'trade')
-- ARGV     uid
--          number   of the offer's hold
--          accepts  1, or ''
-- RETURNS  1
-- ERRORS   NOITEM, NOOFFER, ITEMSOLD, OVERLOADED
-- WRITES   all keys
-- EMITS    chain_begun
-- include rewards/market/lua/includes/hand_over.lua

local sale = {item = item, holds = holds, payouts = payouts, prices = prices, due = due,
  chains = chains, due_chains = due_chains, id = id}
local fields, hold = load_sale(sale), hold_of(sale, number)
if not fields.owner then return redis.error_reply('NOITEM ' .. id) end
local is_owner = fields.owner == uid
if not hold or hold.what ~= 'offer' or hold.state ~= 'held'
  or not (is_owner or (hold.uid == uid and accepts == '')) then
  return redis.error_reply('NOOFFER ' .. id)
end
if accepts ~= '' and fields.state ~= 'listed' then return redis.error_reply('ITEMSOLD ' .. id) end
local refusal = behind()
if refusal then return refusal end

local values = {}
if accepts ~= '' then
  values.buyer, values.seller = hand_over(sale, number)
else
  give_back(sale, number, is_owner and 'declined' or '')
end
note_end(sale)
local version = redis.call('HINCRBY', item, 'version', 1)
emit('chain_begun', 'kind', 'trade', 'id', begin_trade(sale, version, values))
return 1
