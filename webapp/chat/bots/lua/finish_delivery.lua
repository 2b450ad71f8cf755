-- Note how a delivery to a bot went, and when its next one is due. After a failure the bot rests
-- for a while, which doubles with each failure in a row. The first delivery that is given up since
-- one arrived emits `webhook_failed`.
--
-- ARGV     delivery
--          lease_expires   as claimed
--          outcome         done, dropped, again or given up
--          payload         its content, JSON
--          delay           ms after which to try again
--          failure         '' for none; with `done`, why the answer was not sent
--          failures_max    how many deliveries that were given up are kept
--          pause_max       longest rest, ms
-- RETURNS  1, or 0 if somebody else has claimed it
-- EMITS    webhook_failed

if outcome == 'given up' then refuse_when_behind() end
local now, pause = now_ms(), 0
local has_webhook = redis.call('HEXISTS', webhook, 'url') == 1
local is_claimed = tonumber(redis.call('ZSCORE', due_webhooks, uid)) == tonumber(lease_expires)
if outcome == 'again' then
  if not is_claimed or not redis.call('ZSCORE', webhook_queue, delivery) then return 0 end
  redis.call('ZADD', webhook_queue, id_text(now + tonumber(delay)), delivery)
  redis.call('HSET', webhook_payloads, delivery, payload)
elseif redis.call('ZREM', webhook_queue, delivery) == 1 then
  redis.call('HDEL', webhook_payloads, delivery)
  if outcome == 'given up' then
    record_failure(payload, failures_max)
    if has_webhook and redis.call('HSETNX', webhook, 'failed', id_text(now)) == 1 then
      emit('webhook_failed', 'bot', uid, 'failed', id_text(now))
    end
  end
end

if has_webhook and outcome == 'done' then
  redis.call('HDEL', webhook, 'failures', 'error', 'failed')
  redis.call('HSET', webhook, 'delivered', id_text(now), 'answer_error', failure)
elseif has_webhook and failure ~= '' then
  redis.call('HSET', webhook, 'error', failure)
  local failures = redis.call('HINCRBY', webhook, 'failures', 1)
  pause = math.min(1000 * 2 ^ failures, tonumber(pause_max))
end
if not is_claimed then return 0 end

if has_webhook then redis.call('HSET', webhook, 'until', id_text(now + pause)) end
local next_due = redis.call('ZRANGE', webhook_queue, 0, 0, 'WITHSCORES')[2]
if not next_due then return redis.call('ZREM', due_webhooks, uid) end
redis.call('ZADD', due_webhooks, id_text(math.max(tonumber(next_due), now + pause)), uid)
return 1
