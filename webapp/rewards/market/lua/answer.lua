-- Answer an offer: its owner accepts or declines it, or whoever made it takes it back.
--
-- ARGV     uid
--          number   of the offer's hold
--          accepts  1, or ''
-- ERRORS   NOITEM, NOOFFER, ITEMSOLD
-- EMITS    chain_begun

local fields, hold = load_item(), hold_of(number)
if not fields.owner then refuse('NOITEM', id) end
local is_owner = fields.owner == uid
if not hold or hold.what ~= 'offer' or hold.state ~= 'held'
  or not (is_owner or (hold.uid == uid and accepts == '')) then
  refuse('NOOFFER', id)
end
if accepts ~= '' and fields.state ~= 'listed' then refuse('ITEMSOLD', id) end
refuse_when_behind()

local values = {}
if accepts ~= '' then
  values.buyer, values.seller = hand_over(fields, number)
else
  give_back(number, is_owner and 'declined' or '')
end
note_end()
local version = redis.call('HINCRBY', item, 'version', 1)
begin_trade(fields, version, values)
return 1
