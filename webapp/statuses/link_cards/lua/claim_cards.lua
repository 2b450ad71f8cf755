-- Claim statuses whose link card is due. A claim lasts until its lease runs out.
--
-- KEYS     due_cards   statuses.link_cards.due_cards(partition)
-- ARGV     limit   most statuses
--          lease   ms
-- RETURNS  {status id, when the lease runs out}…

local now = now_ms()
local lease_expires = id_text(now + tonumber(lease))
local claimed = {}
for index, id in ipairs(redis.call('ZRANGE', due_cards, '-inf', id_text(now), 'BYSCORE',
  'LIMIT', 0, limit)) do
  redis.call('ZADD', due_cards, lease_expires, id)
  claimed[index] = {id, lease_expires}
end
return claimed
