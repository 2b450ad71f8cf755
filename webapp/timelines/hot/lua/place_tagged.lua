-- Place statuses among the hot ones of a hashtag, or remove them.
--
-- KEYS     hot   timelines.hot.hot_tagged(name)
-- ARGV     limit       most statuses
--          places...   `id:author` and score ('' to remove it) of each
-- FENCED

for index = 1, #places, 2 do
  local entry, score = places[index], places[index + 1]
  if score == '' then redis.call('ZREM', hot, entry) else redis.call('ZADD', hot, score, entry) end
end
redis.call('ZREMRANGEBYRANK', hot, 0, -(tonumber(limit) + 1))
return 1
