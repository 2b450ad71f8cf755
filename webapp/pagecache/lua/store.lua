-- Store a rendered page if its lease is still held, within the partition's share of bytes.
--
-- KEYS     page    pagecache.cached_page(path)
--          paths   pagecache.cached_paths(partition)
--          sizes   pagecache.cached_page_bytes(partition)
-- ARGV     variant
--          token         of the lease
--          body          the page
--          ttl_ms        how long it is fresh
--          stale_ms      how long an expired page may be shown
--          bytes_max     share of the partition
--          page_prefix   the prefix of the keys of the partition's pages
-- RETURNS  1, or 0 if the lease is gone: an event invalidated the page meanwhile

if not holds_lease(page, variant, token) then return 0 end
local now = now_ms()
redis.call('HDEL', page, '=' .. variant)
redis.call('HSET', page, variant, string.format('%.0f ', now + ttl_ms) .. body)
redis.call('PEXPIRE', page, ttl_ms + stale_ms)

local size = 0
for _, field in ipairs(redis.call('HKEYS', page)) do
  size = size + #field + redis.call('HSTRLEN', page, field)
end
for _, gone in ipairs(redis.call('ZRANGE', paths, '-inf', now, 'BYSCORE', 'LIMIT', 0, 100)) do
  remove_path(paths, sizes, gone)
end
local total = set_path(paths, sizes, path, now + ttl_ms + stale_ms, size)
-- A page that is too large by itself goes last.
trim_paths(paths, sizes, page_prefix, total, tonumber(bytes_max))
return 1
