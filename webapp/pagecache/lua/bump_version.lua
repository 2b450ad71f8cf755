-- Number a change of some members, so that no page that shows them as they were is shown again.
--
-- KEYS     versions   pagecache.member_versions()
-- ARGV     members_max   most members remembered
--          uids...

-- At least the time, so that numbers grow even if the last ones were lost.
local newest = redis.call('ZRANGE', versions, 0, 0, 'REV', 'WITHSCORES')[2]
local last = math.max(tonumber(newest) or 0, now_us())
for index, uid in ipairs(uids) do
  redis.call('ZADD', versions, string.format('%.0f', last + index), uid)
end
redis.call('ZREMRANGEBYRANK', versions, 0, -(tonumber(members_max) + 1))
return 1
