-- Purpose: begin and end requests to follow, and follow: each in the partition of who asks, with its event. A follow that
-- was asked for says so (`asked`), for whoever is protected admits no other. Include it after core/store/lua/includes/ids.lua and events.lua.
local function ask(requested, outbox, uid, target, partition, rid)
  local newest = redis.call('ZRANGE', requested, -1, -1, 'WITHSCORES')
  redis.call('ZADD', requested, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), target)
  emit(outbox, partition, 'type', 'requested', 'rid', rid, 'uid', uid, 'target', target)
end
local function end_request(requested, outbox, uid, target, partition, rid)
  if redis.call('ZREM', requested, target) == 0 then return 0 end
  emit(outbox, partition, 'type', 'unrequested', 'rid', rid, 'uid', uid, 'target', target)
  return 1
end
local function begin_follow(following, requested, outbox, uid, target, partition, rid)
  local asked = redis.call('ZREM', requested, target)
  local newest = redis.call('ZRANGE', following, -1, -1, 'WITHSCORES')
  local at = id_text(math.max(now_us(), tonumber(newest[2] or 0) + 1))
  redis.call('ZADD', following, at, target)
  local told = {'type', 'followed', 'rid', rid, 'uid', uid, 'target', target, 'at', at}
  if asked == 1 then told[#told + 1], told[#told + 2] = 'asked', 1 end
  emit(outbox, partition, unpack(told))
end
