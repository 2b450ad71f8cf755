-- Purpose: begin to build a home anew: deliveries start at once, and until it is finished the home says that something is
-- missing. Several may build at once.
-- KEYS: 1 = keys.home  2 = keys.following  3 = keys.active  4 = keys.pulled  5 = keys.user   ARGV: 1 = uid
-- Returns: {mark, version of the list of follows, the followed authors, those merged at read time}   Errors: NOMEMBER
-- Writes: KEYS 1, 3
-- include ids.lua
-- include timelines/version.lua
local home, following, active, pulled, user = unpack(KEYS)
if redis.call('HEXISTS', user, 'login') == 0 then return redis.error_reply('NOMEMBER ' .. ARGV[1]) end
redis.call('ZADD', active, -math.floor(now_ms() / 1000), ARGV[1])
if not redis.call('ZSCORE', home, 'more') then redis.call('ZADD', home, id_text(-now_us()), 'more') end
local mark = redis.call('ZSCORE', home, 'more')
local authors, merged = redis.call('ZRANGE', following, 0, -1), redis.call('ZINTER', 2, following, pulled)
return {mark, version(following), authors, merged}
