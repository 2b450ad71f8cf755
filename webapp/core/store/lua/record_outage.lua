-- Record that a process found the store silent. Of processes that did so together, the longest
-- silence counts.
--
-- KEYS     outages   core.store.outages()
-- ARGV     seconds   how long
-- RETURNS  1

local TOGETHER = 10 -- seconds between the ends of one silence in several processes

local now = tonumber(redis.call('TIME')[1])
local ended_at, known = unpack(redis.call('HMGET', outages, 'last_ended_at', 'last_seconds'))
local is_same = now - tonumber(ended_at or 0) <= TOGETHER
if is_same and tonumber(known) > tonumber(seconds) then seconds = known end
redis.call('HINCRBY', outages, 'count', 1)
redis.call('HSET', outages, 'last_ended_at', now, 'last_seconds', seconds)
return 1
