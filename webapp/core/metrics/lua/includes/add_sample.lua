-- Samples of metrics.

-- Add a value to the samples of a metric now. `how`: sum, last or peak.
local function add_sample(prefix, how, value, seconds)
  for _, precision in ipairs({10, 60, 600, 86400}) do
    local key, start = prefix .. precision, seconds - seconds % precision
    if how == 'sum' then
      redis.call('HINCRBY', key, start, value)
    elseif how == 'last' or value > tonumber(redis.call('HGET', key, start) or -1) then
      redis.call('HSET', key, start, value)
    end
  end
  if how == 'sum' then redis.call('HINCRBY', prefix .. 86400, 'total', value) end
end

