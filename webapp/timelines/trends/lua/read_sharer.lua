-- Read whether a member's use counts, whether its boost still exists, and its entries in the index.
-- From here on no former owner of the outbox indexes it.
--
-- KEYS     user     accounts.user(uid)
--          boosts   statuses.interactions.member_boosts(uid)
--          index    timelines.trends.trend_index(uid)
-- ARGV     boosted     `status:author` of the boosted status
--          id          of the post or boost
--          joined_by   newest account that counts, unix ms
-- RETURNS  {1 if the member is public and no newer, 1 if the boost exists, entries of the index}
-- WRITES   nothing
-- FENCED

local login, suspended, protected, limited, joined =
  unpack(redis.call('HMGET', user, 'login', 'suspended', 'protected', 'limited', 'joined'))
local is_shown = login and not (suspended or protected or limited)
return {
  is_shown and tonumber(joined or 0) <= tonumber(joined_by) and 1 or 0,
  redis.call('ZSCORE', boosts, boosted) and 1 or 0,
  redis.call('ZRANGE', index, id, id, 'BYSCORE'),
}
