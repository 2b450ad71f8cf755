-- Read a partition's events for one group, provided the reader still holds the lease.
-- Events that a former owner reads would otherwise wait for it for ever.
--
-- KEYS     lease      hash: owner, token, until
--          outbox     stream: the partition's events
-- ARGV     token      fencing token of the reader
--          group
--          consumer   name of the reader in the group
--          limit      most events
--          start      '0' for pending events, '>' for new ones
-- RETURNS  as XREADGROUP
-- ERRORS   LEASELOST, NOGROUP
-- WRITES   outbox (its group)

if redis.call('HGET', lease, 'token') ~= token then
  return redis.error_reply('LEASELOST a newer owner reads here')
end
return redis.call(
  'XREADGROUP', 'GROUP', group, consumer, 'COUNT', limit, 'STREAMS', outbox, start
)
