-- Delete the samples of a metric that are too old. Redis deletes an empty hash by itself.
--
-- KEYS     samples   core.metrics.metric(name, precision)
-- ARGV     precision   seconds of one sample
--          kept        number of samples
-- RETURNS  number of samples deleted

local oldest = redis.call('TIME')[1] - precision * kept
local deleted = 0
for _, start in ipairs(redis.call('HKEYS', samples)) do
  if (tonumber(start) or oldest) < oldest then
    deleted = deleted + redis.call('HDEL', samples, start)
  end
end
return deleted
