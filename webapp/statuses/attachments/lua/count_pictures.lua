-- Count the bytes of pictures whose files are stored, unless a member would have too many.
--
-- KEYS     user      accounts.user(uid)
--          counted   statuses.attachments.picture_bytes(uid)
-- ARGV     most       bytes in all, 0 for any number
--          sizes...   name, bytes (more than 0), name, bytes …
-- RETURNS  1, or 0 if there is no room
-- WRITES   counted

if redis.call('HEXISTS', user, 'login') == 0 then return 1 end
local total = tonumber(redis.call('HGET', counted, 'total') or 0)
for index = 2, #sizes, 2 do total = total + sizes[index] end
if tonumber(most) > 0 and total > tonumber(most) then return 0 end
for index = 1, #sizes, 2 do
  local field = string.match(sizes[index], '/(%x+)$'):sub(1, 12)
  if redis.call('HSETNX', counted, field, sizes[index + 1]) == 1 then
    redis.call('HINCRBY', counted, 'total', sizes[index + 1])
  end
end
return 1
