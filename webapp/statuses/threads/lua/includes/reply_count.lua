-- Purpose: bring the number of replies that a status tells up to its list of them (keys.replies), and give it. `user`: keys.user
-- of its author.
local function count_replies(status, replies, user)
  local all = redis.call('HEXISTS', user, 'protected') == 1
  local count = redis.call('ZCOUNT', replies, all and '-inf' or 0, '+inf')
  if count > 0 then redis.call('HSET', status, 'replies', count) else redis.call('HDEL', status, 'replies') end
  return count
end
