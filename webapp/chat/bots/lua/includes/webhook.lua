-- Add a delivery that was given up to a bot's list, which keeps the newest `limit`.
local function record_failure(webhook_failures, payload, limit)
  redis.call('LPUSH', webhook_failures, payload)
  redis.call('LTRIM', webhook_failures, 0, limit - 1)
end
