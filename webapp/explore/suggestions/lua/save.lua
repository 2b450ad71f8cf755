-- Replace a member's suggestions, and put off their next computation. A member who is gone has
-- none.
--
-- KEYS     suggestions   explore.suggestions.suggestions(uid)
--          due           explore.suggestions.due(uid)
--          member        accounts.user(uid)
-- ARGV     every        seconds until they are due again
--          ttl          seconds until the suggestions expire
--          entries...   best first
-- RETURNS  how many are stored
-- WRITES   suggestions, due

redis.call('UNLINK', suggestions)
if redis.call('HEXISTS', member, 'login') == 0 then
  redis.call('ZREM', due, uid)
  return 0
end
for rank, entry in ipairs(entries) do redis.call('ZADD', suggestions, rank, entry) end
redis.call('EXPIRE', suggestions, ttl)
redis.call('ZADD', due, math.floor(now_ms() / 1000) + tonumber(every), uid)
return #entries
