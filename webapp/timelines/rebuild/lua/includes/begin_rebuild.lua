-- Begin to rebuild a home: deliveries start again, and until the rebuild ends the home says that
-- entries are missing. Several may rebuild it together. Return {mark, version of the list of
-- follows, uids of followed members}. Refuse with NOMEMBER.
local function begin_rebuild(uid, home, following, active, member)
  if redis.call('HEXISTS', member, 'login') == 0 then refuse('NOMEMBER', uid) end
  redis.call('ZADD', active, -math.floor(now_ms() / 1000), uid)
  if not redis.call('ZSCORE', home, 'more') then
    redis.call('ZADD', home, id_text(-now_us()), 'more')
  end
  local mark = redis.call('ZSCORE', home, 'more')
  return {mark, follows_version(following), redis.call('ZRANGE', following, 0, -1)}
end
