-- Note that a linked page could not be fetched, and when to try again. It is given up after the
-- last pause, as if it had no card.
--
-- KEYS     linked_page   statuses.link_cards.linked_page(url)
-- ARGV     lease_expires   as leased
--          life            ms after which it is forgotten
--          busy_pause      ms, if its host was not asked at all and the try does not count; or ''
--          pauses...       ms before each further try
-- RETURNS  the pause, ms; 0 if it is given up; -1 if somebody else has leased it

local busy_until, tries = unpack(redis.call('HMGET', linked_page, 'until', 'tries'))
if busy_until ~= lease_expires then return -1 end
redis.call('PEXPIRE', linked_page, life)
local pause = pauses[tonumber(tries)]
if busy_pause ~= '' then
  redis.call('HINCRBY', linked_page, 'tries', -1)
  pause = busy_pause
end
if not pause then
  redis.call('HSET', linked_page, 'card', '')
  return 0
end
redis.call('HSET', linked_page, 'until', id_text(now_ms() + tonumber(pause)))
return tonumber(pause)
