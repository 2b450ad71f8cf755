-- Add an entry to a sorted set, or remove it, while the worker holds its lease.
--
-- KEYS     entries    zset: an entry and its score
--          account?   hash: of the member without whose account nothing is added
-- ARGV     entry
--          score?   '' or left out to remove the entry
--          limit?   most entries; those with the lowest scores go
-- RETURNS  1 if that changed something, else 0
-- WRITES   entries
-- FENCED

if (score or '') == '' then return redis.call('ZREM', entries, entry) end
if account and redis.call('HEXISTS', account, 'login') == 0 then return 0 end
local added = redis.call('ZADD', entries, score, entry)
if limit then redis.call('ZREMRANGEBYRANK', entries, 0, -(tonumber(limit) + 1)) end
return added
