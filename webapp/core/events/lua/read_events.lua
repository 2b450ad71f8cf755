-- Purpose: read a partition's events for one group while the lease is ours: what a former owner took would wait for ever.
-- KEYS: 1 = keys.lease  2 = keys.outbox   ARGV: 1 = token  2 = group  3 = consumer  4 = most  5 = '0' or '>'
-- Returns: as XREADGROUP   Errors: LEASELOST, NOGROUP   Writes: the group in KEYS[2]
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return redis.error_reply('LEASELOST a newer owner reads here') end
return redis.call('XREADGROUP', 'GROUP', ARGV[2], ARGV[3], 'COUNT', ARGV[4], 'STREAMS', KEYS[2], ARGV[5])
