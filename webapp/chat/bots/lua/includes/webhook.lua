-- Add a delivery that was given up to a bot's list, which keeps the newest `limit`.
--
-- KEYS     due_webhooks       chat.bots.due_webhooks(uid)
--          webhook_queue      chat.bots.webhook_queue(uid)
--          webhook_payloads   chat.bots.webhook_payloads(uid)
--          webhook            chat.bots.webhook(uid)
--          webhook_failures   chat.bots.webhook_failures(uid)

local function record_failure(payload, limit)
  redis.call('LPUSH', webhook_failures, payload)
  redis.call('LTRIM', webhook_failures, 0, limit - 1)
end
