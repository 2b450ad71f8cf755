-- A member's interactions of the last minute. Projections may not have counted them yet.
--
-- KEYS     recent   statuses.interactions.recent_interactions(uid)

local RECENT_SECONDS = 60

-- Record that the member did something with a status.
local function record_interaction(status_id)
  local now = now_ms()
  redis.call('ZADD', recent, id_text(now), status_id)
  redis.call('ZREMRANGEBYSCORE', recent, '-inf', id_text(now - RECENT_SECONDS * 1000))
  redis.call('EXPIRE', recent, RECENT_SECONDS)
end
