-- Read the processes of the site, alive or lost.
--
-- KEYS     processes   core.metrics.processes()
--          process     core.metrics.process.prefix()
-- ARGV     limit   most processes
-- RETURNS  for each its id, milliseconds since its last heartbeat, and its fields
-- WRITES   nothing

local time = redis.call('TIME')
local now, found = time[1] * 1000 + math.floor(time[2] / 1000), {}
local entries = redis.call('ZREVRANGE', processes, 0, limit - 1, 'WITHSCORES')
for index = 1, #entries, 2 do
  local id = entries[index]
  found[#found + 1] = {id, now - entries[index + 1], redis.call('HGETALL', process .. id)}
end
return found
