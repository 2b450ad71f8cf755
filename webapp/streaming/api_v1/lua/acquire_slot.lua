-- Take one of the few connection slots of a holder: a fair counting semaphore with time-outs.
-- A new stream always gets one. A slot whose process fell silent is evicted first, else the
-- oldest one. After Redis in Action, 6.3.
--
-- KEYS     slots   streaming.connection_slots(holder)
--          seen    streaming.connection_slots_seen(holder)
-- ARGV     slot         `fingerprint:random`
--          limit        most slots of one holder
--          timeout_ms   how long a slot stays held without a refresh, ms
--          key_ttl      how long the keys live without a change, seconds
-- RETURNS  the slots that were evicted

local now = now_ms()
redis.call('ZREM', slots, slot)
local held = redis.call('ZRANGE', slots, 0, -1)
local evicted = {}
local wanted = string.match(slot, '^[^:]*')

-- Return the place in `held` of the oldest slot without a recent refresh, nil if there is none.
local function timed_out()
  for place, other in ipairs(held) do
    local refreshed = tonumber(redis.call('ZSCORE', seen, other) or 0)
    if now - refreshed > tonumber(timeout_ms) then return place end
  end
end

while #held >= tonumber(limit) do
  local other = table.remove(held, timed_out() or 1)
  redis.call('ZREM', slots, other)
  redis.call('ZREM', seen, other)
  if string.match(other, '^[^:]*') == wanted then
    redis.call('ZADD', seen, '-' .. id_text(now), other)
  end
  evicted[#evicted + 1] = other
end

-- By then the process of an evicted stream has asked, or is dead.
redis.call('ZREMRANGEBYSCORE', seen, '-' .. id_text(now - tonumber(timeout_ms)), '(0')
-- Turns are counted, not timed: the order is that of the script's runs, whatever the clock does.
local newest = redis.call('ZRANGE', slots, -1, -1, 'WITHSCORES')
redis.call('ZADD', slots, tonumber(newest[2] or 0) + 1, slot)
redis.call('ZADD', seen, id_text(now), slot)
redis.call('EXPIRE', slots, key_ttl)
redis.call('EXPIRE', seen, key_ttl)
return evicted
