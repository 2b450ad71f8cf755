-- The count of replies that a status shows.

-- Set a status's count of replies from `replies` (zset: id -> rank), and return it. Replies of
-- negative rank are for followers. They count while the author (the hash `author`) is protected.
-- `changed_counts`, `id`, `due`: as `set_count` takes them.
local function update_reply_count(status, replies, author, changed_counts, id, due)
  local is_protected = redis.call('HEXISTS', author, 'protected') == 1
  local count = redis.call('ZCOUNT', replies, is_protected and '-inf' or 0, '+inf')
  set_count(status, 'replies', count, changed_counts, id, due)
  return count
end
