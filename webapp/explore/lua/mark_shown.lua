-- Note the posts that Explore has shown to a member. Doing it again changes nothing.
--
-- KEYS     user     accounts.user(uid)
--          seen     explore.seen_posts(uid)
--          recent   explore.recently_shown(uid)
-- ARGV     bits       of one half of the filter
--          hashes     bits that an id sets
--          capacity   ids of one half
--          ttl        seconds until the filter expires
--          grace      seconds in which posts are recent
--          limit      most recent posts
--          ids...
-- RETURNS  how many were new to the filter's current half
-- WRITES   seen, recent

if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
local now = now_ms()
for _, id in ipairs(ids) do redis.call('ZADD', recent, 'NX', now, id) end
redis.call('ZREMRANGEBYSCORE', recent, '-inf', now - grace * 1000)
redis.call('ZREMRANGEBYRANK', recent, 0, -(tonumber(limit) + 1))
redis.call('EXPIRE', recent, grace)
local added = bloom_add(seen, ids, tonumber(bits), tonumber(hashes), tonumber(capacity))
redis.call('EXPIRE', seen, ttl)
return added
