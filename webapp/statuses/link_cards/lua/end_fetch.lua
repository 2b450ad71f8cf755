-- Keep the card fetched from a linked page, for all posts that link to it.
--
-- KEYS     linked_page   statuses.link_cards.linked_page(url)
-- ARGV     lease_expires   as leased
--          card            JSON, '' if the page has none
--          life            ms after which it is forgotten
-- RETURNS  1, or 0 if somebody else has leased it

if redis.call('HGET', linked_page, 'until') ~= lease_expires then return 0 end
redis.call('HSET', linked_page, 'card', card)
redis.call('HDEL', linked_page, 'until', 'tries')
redis.call('PEXPIRE', linked_page, life)
return 1
