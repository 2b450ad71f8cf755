-- Read the state of a linked page. If it is unknown, lease it to the caller, who fetches it. A page
-- that was leased too often without a result counts as one without a card: it may have killed its
-- workers.
--
-- KEYS     linked_page   statuses.link_cards.linked_page(url)
-- ARGV     lease       ms
--          life        ms after which it is forgotten
--          tries_max
-- RETURNS  {'cached', card}, {'wait', ms}, or {'fetch', when the lease runs out}

local card, busy_until, tries = unpack(redis.call('HMGET', linked_page, 'card', 'until', 'tries'))
if card then return {'cached', card} end
local now = now_ms()
if busy_until and tonumber(busy_until) > now then
  return {'wait', id_text(tonumber(busy_until) - now)}
end
if tonumber(tries or 0) >= tonumber(tries_max) then
  redis.call('HSET', linked_page, 'card', '')
  return {'cached', ''}
end
local lease_expires = id_text(now + tonumber(lease))
redis.call('HINCRBY', linked_page, 'tries', 1)
redis.call('HSET', linked_page, 'until', lease_expires)
redis.call('PEXPIRE', linked_page, life)
return {'fetch', lease_expires}
