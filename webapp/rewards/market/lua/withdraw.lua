-- Take an item off the market, or erase one whose owner's account is gone. Whoever made an offer
-- gets the points back. A reserved one of a deleted account is erased if its buyer cannot pay.
--
-- ARGV     uid      of its owner
--          erases   1 to erase it, or ''
-- RETURNS  1, also if it is not on the market
-- ERRORS   NOITEM, NOTYOURS, ITEMBUSY (reserved, or there is a bid)
-- EMITS    chain_begun

local fields = load_item()
if not fields.owner then refuse('NOITEM', id) end
if fields.owner ~= uid then refuse('NOTYOURS', id) end
if erases ~= '' and fields.state == 'reserved' then
  return redis.call('HSET', item, 'abandoned', 1)
elseif erases == '' then
  if fields.state == 'held' then return 1 end
  local has_bid = fields.sale == 'auction' and redis.call('HLEN', holds) > 0
  if fields.state == 'reserved' or has_bid then refuse('ITEMBUSY', id) end
end

give_all_back('withdrawn')
local version = end_sale(uid)
if erases ~= '' then redis.call('DEL', item, prices) end
begin_trade(fields, version, {})
return 1
