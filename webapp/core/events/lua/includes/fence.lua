-- Purpose: refuse a worker that has lost its lease. Every projection's script calls it first, on a key beside what it writes.
local function stale(fences, source, token)
  local seen = redis.call('HGET', fences, source)
  if seen and tonumber(seen) > tonumber(token) then return redis.error_reply('LEASELOST a newer owner wrote here') end
  if seen ~= token then redis.call('HSET', fences, source, token) end
end
