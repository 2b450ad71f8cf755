-- Place statuses among the hot ones of a hashtag, or remove them.
--
-- KEYS     fences      hash: the newest token of each source
--          hot         zset: `id:author` -> score
-- ARGV     source
--          token
--          limit       most statuses
--          places...   `id:author` and score ('' to remove it) of each
-- RETURNS  1
-- ERRORS   LEASELOST
-- WRITES   all keys
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
for index = 1, #places, 2 do
  local entry, score = places[index], places[index + 1]
  if score == '' then redis.call('ZREM', hot, entry) else redis.call('ZADD', hot, score, entry) end
end
redis.call('ZREMRANGEBYRANK', hot, 0, -(tonumber(limit) + 1))
return 1
