-- Purpose: keep a page for as long as the lease to render it is held, within this partition's share of bytes.
-- KEYS: 1 = keys.page  2 = keys.pages  3 = keys.page_bytes
-- ARGV: 1 = variant  2 = token  3 = path  4 = page  5 = its life, ms  6 = how long it may be shown after, ms
--       7 = the share, bytes  8 = keys.page_prefix
-- Returns: 1, or 0 when the lease is gone: something has happened since   Errors: none
-- Writes: all keys, and other pages below the prefix
local page, pages, sizes = unpack(KEYS)
local variant, token, path, body, life, spare, share, prefix = unpack(ARGV)
local held = redis.call('HGET', page, '=' .. variant)
if not held or held:match('^%S+') ~= token then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HDEL', page, '=' .. variant)
redis.call('HSET', page, variant, string.format('%.0f ', now + life) .. body)
redis.call('PEXPIRE', page, life + spare)
local size = 0
for _, field in ipairs(redis.call('HKEYS', page)) do size = size + #field + redis.call('HSTRLEN', page, field) end
local function forget(gone)
  redis.call('HINCRBY', sizes, 'total', -(tonumber(redis.call('HGET', sizes, gone)) or 0))
  redis.call('HDEL', sizes, gone)
  redis.call('ZREM', pages, gone)
end
for _, gone in ipairs(redis.call('ZRANGE', pages, '-inf', now, 'BYSCORE', 'LIMIT', 0, 100)) do forget(gone) end
forget(path)
redis.call('ZADD', pages, now + life + spare, path)
redis.call('HSET', sizes, path, size)
local total = redis.call('HINCRBY', sizes, 'total', size)
while total > tonumber(share) do
  local first = redis.call('ZRANGE', pages, 0, 0)[1] -- in the end this one, when it is too large by itself
  if not first then return redis.call('DEL', sizes) end -- what a store that evicts keys has left of the list
  redis.call('DEL', prefix .. first)
  forget(first)
  total = tonumber(redis.call('HGET', sizes, 'total'))
end
return 1
