-- Claim due messages of bots of a partition, one for each bot. A claim lasts until its lease runs
-- out.
--
-- KEYS     due_webhooks     chat.bots.due_webhooks(partition)
--          webhook_prefix   chat.bots.webhook.prefix(partition)
--          queue_prefix     chat.bots.webhook_queue.prefix(partition)
-- ARGV     limit        most deliveries
--          lease        ms
--          skipped...   uids of bots to pass over
-- RETURNS  {uid, delivery, its JSON, url, sealed secret, when the lease runs out}…

limit = tonumber(limit)
local now = now_ms()
local lease_expires = id_text(now + tonumber(lease))
local is_skipped = {}
for _, uid in ipairs(skipped) do is_skipped[uid] = true end

-- Return the claimed delivery of a bot, nil if there is none.
local function claim(uid)
  local queue, webhook = queue_prefix .. uid, webhook_prefix .. uid
  local payloads = queue .. ':payloads'
  local id = redis.call('ZRANGE', queue, 0, 0)[1]
  local url, secret = unpack(redis.call('HMGET', webhook, 'url', 'secret'))
  if not id or not url then
    redis.call('ZREM', due_webhooks, uid)
    redis.call('UNLINK', queue, payloads)
    return nil
  end
  redis.call('ZADD', due_webhooks, lease_expires, uid)
  redis.call('HSET', webhook, 'until', lease_expires)
  local payload = redis.call('HGET', payloads, id) or ''
  return {uid, id, payload, url, secret, lease_expires}
end

local candidates = redis.call('ZRANGE', due_webhooks, '-inf', id_text(now), 'BYSCORE',
  'LIMIT', 0, limit + #skipped)
local claimed = {}
for _, uid in ipairs(candidates) do
  if #claimed < limit and not is_skipped[uid] then claimed[#claimed + 1] = claim(uid) end
end
return claimed
