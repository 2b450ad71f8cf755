-- Read which suspended accounts of a partition are to be deleted now, by the store's clock.
--
-- KEYS     listed   moderation.ending_suspensions(partition)
-- ARGV     limit
-- RETURNS  uids, each with when its suspension ends
-- WRITES   nothing

return redis.call('ZRANGE', listed, '-inf', id_text(now_ms()), 'BYSCORE', 'LIMIT', 0, limit,
  'WITHSCORES')
