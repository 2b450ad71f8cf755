-- Purpose: end a follow: the author's statuses leave the home timeline at once; tell the worker.
-- For the next hour deliveries look at this member's own list again, as the author's list of followers comes after it.
local function end_follow(following, home, outbox, active, uid, target, partition, rid)
  if redis.call('ZREM', following, target) == 0 then return 0 end
  redis.call('ZADD', active, 'XX', -math.floor(now_ms() / 1000), uid)
  leave(home, target)
  emit(outbox, partition, 'type', 'unfollowed', 'rid', rid, 'uid', uid, 'target', target)
  return 1
end
