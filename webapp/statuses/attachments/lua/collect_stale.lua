-- Return pictures that no status shows in time, or any longer, and bar them from being posted.
--
-- KEYS     uploads   statuses.attachments.uploads(partition)
-- ARGV     wait_ms   how long a picture may wait for its status
--          limit     pictures
-- RETURNS  names

local oldest_allowed = id_text(now_ms() - wait_ms)
local names = redis.call('ZRANGE', uploads, 0, oldest_allowed, 'BYSCORE', 'LIMIT', 0, limit)
for _, name in ipairs(names) do redis.call('ZADD', uploads, 0, name) end
return names
