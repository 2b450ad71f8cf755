-- Replace the cached list of popular members. It expires, even if this process ends meanwhile.
--
-- KEYS     popular   explore.suggestions.popular()
-- ARGV     ttl          seconds until the list expires
--          entries...   best first
-- RETURNS  how many are stored

redis.call('UNLINK', popular)
for rank, entry in ipairs(entries) do redis.call('ZADD', popular, rank, entry) end
redis.call('EXPIRE', popular, ttl)
return #entries
