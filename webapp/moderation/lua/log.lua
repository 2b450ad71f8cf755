-- Add an entry to the log, once, and remove those that are older than a year.
--
-- KEYS     log       moderation.log()
--          entries   moderation.log_entries()
-- ARGV     id
--          entry    JSON
--          at       unix ms
--          oldest   unix ms: what is older goes
--          limit    entries that go at most
-- RETURNS  1 if it is new, else 0

local gone = redis.call('ZRANGE', log, '-inf', oldest, 'BYSCORE', 'LIMIT', 0, limit)
for _, one in ipairs(gone) do
  redis.call('ZREM', log, one)
  redis.call('HDEL', entries, one)
end
if not redis.call('ZSCORE', log, id) then
  redis.call('ZADD', log, free_score(log, tonumber(at), -1), id)
end
return redis.call('HSETNX', entries, id, entry)
