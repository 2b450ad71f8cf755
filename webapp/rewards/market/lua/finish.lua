-- End what has ended at an item: offers after two days, sales at their time. The highest bidder of
-- an auction gets the item.
--
-- EMITS    chain_begun

local fields, now, values = load_item(), now_ms(), {}
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
  if ends and now >= ends then give_back(rows[at], 'declined') end
end
if has_ended and fields.bid then
  values.buyer, values.seller = hand_over(fields, fields.hold)
elseif has_ended then
  give_all_back('withdrawn')
  owe('unsold:' .. end_sale(fields.owner), fields.owner, 0, 'unsold', fields.price)
end
note_end()
local version = redis.call('HINCRBY', item, 'version', 1)
begin_trade(fields, version, values)
return 1
