-- Read a cached page or, if there is none or it has expired, take the lease to render it.
--
-- KEYS     page   pagecache.cached_page(path)
-- ARGV     variant
--          token        random, identifies the lease
--          lease_ms     life of the lease
--          fields_max   most fields of the hash
--          outdated     1 to treat the cached page as expired, or 0
-- RETURNS  {state, page}. 'fresh' comes with the page, the others with an expired page or '':
--          'leased'       the caller renders the page
--          'rendering'    another holds the lease
--          'uncacheable'  for a moment everybody renders their own

local now = now_ms()
local cached = outdated == '0' and redis.call('HGET', page, variant) or ''
if cached ~= '' and tonumber(cached:match('^%d+')) > now then return {'fresh', cached} end

local lease_field = '=' .. variant
local lease = redis.call('HGET', page, lease_field)
local holder, lease_end = (lease or '- 0'):match('^(%S+) (%d+)$')
if tonumber(lease_end) > now then
  return {holder == '-' and 'uncacheable' or 'rendering', cached}
end

if not lease and redis.call('HLEN', page) >= tonumber(fields_max) then
  -- A random one, so that asking for many variants gains nothing.
  redis.call('HDEL', page, redis.call('HRANDFIELD', page))
end
redis.call('HSET', page, lease_field, string.format('%s %.0f', token, now + lease_ms))
if redis.call('PTTL', page) < tonumber(lease_ms) then redis.call('PEXPIRE', page, lease_ms) end
return {'leased', cached}
