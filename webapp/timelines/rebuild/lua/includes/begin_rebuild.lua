-- Purpose: begin to build a home anew: deliveries start at once, and until it is finished the home says that something is
-- missing. Several may build at once. Gives what that takes: {the mark, the version of the list of follows, the followed
-- authors}, or the error NOMEMBER. Include it after core/store/lua/includes/ids.lua and timelines/lua/includes/follows_version.lua.
local function begin_rebuild(uid, home, following, active, user)
  if redis.call('HEXISTS', user, 'login') == 0 then return redis.error_reply('NOMEMBER ' .. uid) end
  redis.call('ZADD', active, -math.floor(now_ms() / 1000), uid)
  if not redis.call('ZSCORE', home, 'more') then redis.call('ZADD', home, id_text(-now_us()), 'more') end
  return {redis.call('ZSCORE', home, 'more'), version(following), redis.call('ZRANGE', following, 0, -1)}
end
