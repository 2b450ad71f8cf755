-- Queue a notification for a member's devices, in `delay` ms. They read the member's list then.
-- Include core/store's ids.lua first.
local function queue_push(uid, lane, delay, devices, prefix, due)
  for _, sha in ipairs(redis.call('ZRANGE', devices, 0, -1)) do
    local rests_until = redis.call('HGET', prefix .. uid .. ':' .. sha, lane .. ':until')
    local at = math.max(now_ms() + tonumber(delay), tonumber(rests_until or 0))
    redis.call('ZADD', due, 'LT', id_text(at), uid .. ':' .. sha .. ':' .. lane)
  end
end
