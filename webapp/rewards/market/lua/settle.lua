-- Apply the answer to a payment: hand a purchase over, or hold a bid or an offer. Doing it again
-- changes nothing.
--
-- ARGV     number    of the hold
--          answer    paid, or refused

local OFFER_MS, EXTENSION_MS = 48 * 3600000, 120000

local fields, hold = load_item(), hold_of(number)
if not hold or hold.state ~= 'asked' then return 1 end

local function save_hold()
  hold.state = 'held'
  redis.call('HSET', holds, number, cjson.encode(hold))
end

local function take_bid()
  if fields.hold then give_back(fields.hold, 'outbid') end
  save_hold()
  local ends = math.max(tonumber(fields.ends), hold.at + EXTENSION_MS)
  change('hold', number, 'bid', hold.amount, 'bidder', hold.uid, 'ends', id_text(ends))
end

local function take_back()
  redis.call('HDEL', holds, number)
  if hold.what == 'purchase' then change('state', 'listed', 'refused', hold.uid) end
  owe('unpaid:' .. number, hold.uid, 0, 'unpaid', hold.amount)
end

if answer == 'refused' then
  take_back()
elseif hold.what == 'purchase' then
  hand_over(fields, number)
elseif fields.state ~= 'listed' or (hold.what == 'bid') ~= (fields.sale == 'auction') then
  give_back(number, 'late')
elseif hold.what == 'offer' then
  hold['until'] = now_ms() + OFFER_MS
  save_hold()
  owe('offer:' .. number, fields.owner, 0, 'offered', hold.amount)
elseif hold.amount <= tonumber(fields.bid or 0) then
  give_back(number, 'outbid')
else
  take_bid()
end
if fields.abandoned and redis.call('HGET', item, 'state') == 'listed' then
  give_all_back('withdrawn')
  redis.call('DEL', item, prices)
end
note_end()
return 1
