-- Give a lease back without a page: for a moment, everybody renders their own.
--
-- KEYS     page   pagecache.cached_page(path)
-- ARGV     variant
--          token       of the lease
--          moment_ms
-- RETURNS  1, or 0 if the lease is gone

if not holds_lease(page, variant, token) then return 0 end
redis.call('HDEL', page, variant) -- an expired page must not come back
redis.call('HSET', page, '=' .. variant, string.format('- %.0f', now_ms() + moment_ms))
if redis.call('HLEN', page) == 1 then redis.call('PEXPIRE', page, moment_ms) end
return 1
