-- Purpose: let a bot be told of a message, once for each event. What is more than it may wait for is given up.
-- KEYS: 1 = keys.fences  2 = keys.webhook  3 = keys.unsent  4 = keys.unsent_words  5 = keys.deliveries  6 = keys.undelivered
-- ARGV: 1 = source  2 = token  3 = uid  4 = partition of the event  5 = its outbox id  6 = what it is about, JSON
--       7 = WEBHOOK_WAITING  8 = how many given up are kept  9 = the same JSON, when it is given up
-- Returns: 1 when it waits now, else 0   Errors: LEASELOST   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua
local fences, webhook, waiting, words, deliveries, undelivered = unpack(KEYS)
local source, token, uid, partition, oid, entry, most, kept, refused = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local function later(one, other)
  local ms, seq = string.match(one, '^(%d+)-(%d+)$')
  local ms2, seq2 = string.match(other, '^(%d+)-(%d+)$')
  return tonumber(ms) > tonumber(ms2) or ms == ms2 and tonumber(seq) > tonumber(seq2)
end
local hook = redis.call('HMGET', webhook, 'url', 'mark:' .. partition, 'until')
if not hook[1] or hook[2] and not later(oid, hook[2]) then return 0 end
redis.call('HSET', webhook, 'mark:' .. partition, oid)
if redis.call('ZCARD', waiting) >= tonumber(most) then
  redis.call('LPUSH', undelivered, refused)
  redis.call('LTRIM', undelivered, 0, kept - 1)
  return 0
end
local now, id = now_ms(), partition .. '-' .. oid
redis.call('ZADD', waiting, id_text(now), id)
redis.call('HSET', words, id, entry)
redis.call('ZADD', deliveries, 'LT', id_text(math.max(now, tonumber(hook[3] or 0))), uid)
return 1
