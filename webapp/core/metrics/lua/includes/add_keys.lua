-- Commands by key.

-- Count sampled commands in these five minutes. Beyond a thousand keys, the rarest are dropped.
local function add_keys(prefix, counts, seconds)
  local key = prefix .. math.floor(seconds / 300)
  for name, count in pairs(counts) do redis.call('ZINCRBY', key, count, name) end
  redis.call('ZREMRANGEBYRANK', key, 0, -1001)
  redis.call('EXPIRE', key, 900)
end
