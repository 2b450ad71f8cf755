-- Make an item, unless it exists.
--
-- KEYS     item    rewards.items.item(id)
-- ARGV     uid     of its owner
--          kind
--          title
-- RETURNS  1 if it is new, else 0

if redis.call('EXISTS', item) == 1 then return 0 end
redis.call('HSET', item, 'kind', kind, 'title', title, 'owner', uid, 'since', id_text(now_us()),
  'state', 'held', 'version', 1)
return 1
