-- Take pictures whose files are gone off the list, and count their bytes no longer.
--
-- KEYS     uploads          statuses.attachments.uploads(partition)
--          counted_prefix   statuses.attachments.picture_bytes.prefix(partition)
-- ARGV     names...

for _, name in ipairs(names) do
  redis.call('ZREM', uploads, name)
  local uid, token = string.match(name, '^posts/(%d+)/(%x+)$')
  local counted, field = counted_prefix .. (uid or ''), (token or ''):sub(1, 12)
  local bytes = uid and redis.call('HGET', counted, field)
  if bytes then
    redis.call('HDEL', counted, field)
    local total = redis.call('HINCRBY', counted, 'total', '-' .. bytes)
    if total == 0 then redis.call('DEL', counted) end
  end
end
return 1
