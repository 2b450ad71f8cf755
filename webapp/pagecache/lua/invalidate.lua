-- Purpose: drop the kept pages of some paths, and with them every lease to render one: what was read before is not kept.
-- KEYS: 1 = keys.pages  2 = keys.page_bytes  then keys.page of each path   ARGV: the paths
-- Returns: 1   Errors: none   Writes: all keys
local pages, sizes = unpack(KEYS)
for number, path in ipairs(ARGV) do
  redis.call('DEL', KEYS[number + 2])
  local size = redis.call('HGET', sizes, path)
  if size then
    redis.call('HINCRBY', sizes, 'total', -size)
    redis.call('HDEL', sizes, path)
    redis.call('ZREM', pages, path)
  end
end
return 1
