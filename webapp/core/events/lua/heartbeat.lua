-- Record that a worker is alive, forget silent ones and count the rest, by the store's clock.
--
-- KEYS     workers   core.events.workers()
-- ARGV     owner     host:pid
--          silence   seconds after which a worker is forgotten
-- RETURNS  number of live workers

local now = now_ms() / 1000
redis.call('ZREMRANGEBYSCORE', workers, '-inf', now - tonumber(silence))
redis.call('ZREMRANGEBYSCORE', workers, now + 1, '+inf') -- from before the clock was set back
redis.call('ZADD', workers, now, owner)
return redis.call('ZCARD', workers)
