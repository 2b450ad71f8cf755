-- Queue a message for a bot's webhook, once for each event. If the queue is full it is given up.
--
-- ARGV     partition        of the event
--          event_id         its id in the outbox
--          payload          its content, JSON
--          failed_payload   the same, if it is given up
--          queue_max        WEBHOOK_WAITING
--          failures_max     how many deliveries that were given up are kept
-- RETURNS  1 if it is queued, else 0
-- FENCED

local watermark_field = 'mark:' .. partition
local url, watermark, rests_until =
  unpack(redis.call('HMGET', webhook, 'url', watermark_field, 'until'))
if not url or watermark and not is_earlier(watermark, event_id) then return 0 end
redis.call('HSET', webhook, watermark_field, event_id)
if redis.call('ZCARD', webhook_queue) >= tonumber(queue_max) then
  record_failure(failed_payload, failures_max)
  return 0
end

local now = now_ms()
local delivery = partition .. '-' .. event_id
local due = math.max(now, tonumber(rests_until or 0))
redis.call('ZADD', webhook_queue, id_text(now), delivery)
redis.call('HSET', webhook_payloads, delivery, payload)
redis.call('ZADD', due_webhooks, 'LT', id_text(due), uid)
return 1
