-- Add a delivery that was given up to a bot's list, which keeps the newest `limit`.
local function record_failure(webhook_failures, payload, limit)
  redis.call('LPUSH', webhook_failures, payload)
  redis.call('LTRIM', webhook_failures, 0, limit - 1)
end

-- Return true if the stream id `left` is later than `right`.
local function is_later(left, right)
  local left_ms, left_seq = string.match(left, '^(%d+)-(%d+)$')
  local right_ms, right_seq = string.match(right, '^(%d+)-(%d+)$')
  if left_ms ~= right_ms then return tonumber(left_ms) > tonumber(right_ms) end
  return tonumber(left_seq) > tonumber(right_seq)
end
