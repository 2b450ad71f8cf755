-- Begin and end requests to follow, and begin follows: each in the follower's partition, with its
-- event. Needs EMITS in the header.
--
-- KEYS     following   following.following(uid)
--          requested   following.sent_follow_requests(uid)

-- Request to follow `target`, and emit `requested`.
local function request_follow(target)
  redis.call('ZADD', requested, next_score(requested, now_ms()), target)
  emit('requested', 'uid', uid, 'target', target)
end

-- End a request and emit `unrequested`. Return 1, or 0 if there was none.
local function end_request(target)
  if redis.call('ZREM', requested, target) == 0 then return 0 end
  emit('unrequested', 'uid', uid, 'target', target)
  return 1
end

-- Follow `target` and emit `followed`. A follow that was requested has the field `requested`:
-- protected members accept no other.
local function begin_follow(target)
  local was_requested = redis.call('ZREM', requested, target) == 1
  local followed_at = next_score(following, now_us())
  redis.call('ZADD', following, followed_at, target)
  local event = {'uid', uid, 'target', target, 'followed_at', followed_at}
  if was_requested then add(event, 'requested', 1) end
  emit('followed', unpack(event))
end
