-- Offer an item for sale, or change the price of one that is. An auction is for bids alone: offers
-- that were made before it are given back.
--
-- ARGV     uid
--          version   of the item, as the member saw it
--          price     of an auction: the lowest bid
--          kind      fixed or auction
--          begins    in how many ms, 0: now; '' where that stays
--          lasts     how many ms from then on, 0: no end; '' where that stays
-- ERRORS   NOITEM, NOTYOURS, ITEMBUSY (reserved, or an auction), ITEMCHANGED
-- EMITS    chain_begun

local fields = load_item()
if not fields.owner then refuse('NOITEM', id) end
if fields.owner ~= uid then refuse('NOTYOURS', id) end
if fields.state == 'reserved' or fields.sale == 'auction' then refuse('ITEMBUSY', id) end
if fields.version ~= version then refuse('ITEMCHANGED', id) end
refuse_when_behind()

if kind == 'auction' then give_all_back('declined') end
local now, before = now_ms(), tonumber(fields.begins or now_ms())
local starts = begins == '' and before or now + tonumber(begins)
local old_ends = tonumber(fields.ends or 0)
if lasts == '' then lasts = old_ends > 0 and old_ends - before or 0 end
local ends = tonumber(lasts) == 0 and 0 or starts + tonumber(lasts)
local changed = change('state', 'listed', 'price', price, 'sale', kind, 'listed',
  fields.listed or id_text(now), 'begins', id_text(starts), 'ends', id_text(ends))
redis.call('HDEL', item, 'hold', 'bid', 'bidder', 'refused')
note_end()
begin_trade(fields, changed, {})
return 1
