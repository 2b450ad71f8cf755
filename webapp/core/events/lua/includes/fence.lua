-- Refuse if the worker has lost its lease. A projection's script calls it first.
-- `fences` is a key in the partition that the script writes to; it holds the newest token seen
-- from each source.
local function stale(fences, source, token)
  local newest = redis.call('HGET', fences, source)
  if newest and tonumber(newest) > tonumber(token) then
    refuse('LEASELOST', 'a newer owner wrote here')
  end
  if newest ~= token then
    redis.call('HSET', fences, source, token)
    redis.call('EXPIRE', fences, 30 * 86400) -- longer than any worker is silent
  end
end
