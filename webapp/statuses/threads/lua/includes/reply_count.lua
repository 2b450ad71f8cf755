-- The count of replies that a status shows.

-- Set a status's count of replies from `replies` (zset: id -> rank), and return it. Replies of
-- negative rank are for followers. They count while the author (the hash `author`) is protected.
local function update_reply_count(status, replies, author)
  local is_protected = redis.call('HEXISTS', author, 'protected') == 1
  local count = redis.call('ZCOUNT', replies, is_protected and '-inf' or 0, '+inf')
  if count > 0 then
    redis.call('HSET', status, 'replies', count)
  else
    redis.call('HDEL', status, 'replies')
  end
  return count
end
