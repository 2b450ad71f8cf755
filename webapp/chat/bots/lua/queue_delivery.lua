-- Queue a message for a bot's webhook, once for each event. If the queue is full it is given up.
--
-- KEYS     fences             hash: source -> token
--          webhook            hash: the webhook
--          webhook_queue      zset: delivery -> unix ms
--          webhook_payloads   hash: delivery -> JSON
--          due_webhooks       zset: uid -> unix ms
--          webhook_failures   list of JSON
-- ARGV     source
--          token
--          uid              the bot
--          partition        of the event
--          event_id         its id in the outbox
--          payload          what it is about, JSON
--          failed_payload   the same, if it is given up
--          queue_max        WEBHOOK_WAITING
--          failures_max     how many deliveries that were given up are kept
-- RETURNS  1 if it is queued, else 0
-- ERRORS   LEASELOST
-- WRITES   all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua
-- include chat/bots/lua/includes/webhook.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end

local watermark_field = 'mark:' .. partition
local url, watermark, rests_until =
  unpack(redis.call('HMGET', webhook, 'url', watermark_field, 'until'))
if not url or watermark and not is_later(event_id, watermark) then return 0 end
redis.call('HSET', webhook, watermark_field, event_id)
if redis.call('ZCARD', webhook_queue) >= tonumber(queue_max) then
  record_failure(webhook_failures, failed_payload, failures_max)
  return 0
end

local now = now_ms()
local delivery = partition .. '-' .. event_id
local due = math.max(now, tonumber(rests_until or 0))
redis.call('ZADD', webhook_queue, id_text(now), delivery)
redis.call('HSET', webhook_payloads, delivery, payload)
redis.call('ZADD', due_webhooks, 'LT', id_text(due), uid)
return 1
