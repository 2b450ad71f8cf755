-- Set the bytes of pictures whose files are stored, unless a member would have too many.
--
-- KEYS     user      accounts.user(uid)
--          counted   statuses.attachments.picture_bytes(uid)
-- ARGV     most       bytes in all, 0 for any number
--          sizes...   name, bytes (0: its files are gone), name, bytes …
-- RETURNS  1, or 0 if there is no room
-- WRITES   counted

if redis.call('HEXISTS', user, 'login') == 0 then return 1 end
local total, fields = tonumber(redis.call('HGET', counted, 'total') or 0), {}
for index = 1, #sizes, 2 do
  local field = string.match(sizes[index], '/(%x+)$'):sub(1, 12)
  fields[index] = field
  total = total + sizes[index + 1] - (redis.call('HGET', counted, field) or 0)
end
if tonumber(most) > 0 and total > tonumber(most) then return 0 end
for index, field in pairs(fields) do
  local bytes = sizes[index + 1]
  if tonumber(bytes) > 0 then redis.call('HSET', counted, field, bytes)
  else redis.call('HDEL', counted, field) end
end
if total == 0 then redis.call('DEL', counted)
else redis.call('HSET', counted, 'total', total) end
return 1
