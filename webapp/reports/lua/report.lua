-- Store a member's report for the operator, once for each subject. The oldest reports go.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
-- ARGV     report_id   `uid:subject`
--          content     the reported content, JSON
--          limit       REPORTS_MAX
-- RETURNS  1, or 0 if it was reported before
-- WRITES   reports, contents
-- include core/store/lua/includes/ids.lua

if redis.call('ZADD', reports, 'NX', id_text(now_ms()), report_id) == 0 then return 0 end
redis.call('HSET', contents, report_id, content)
local surplus = redis.call('ZCARD', reports) - tonumber(limit)
if surplus > 0 then
  local oldest = redis.call('ZPOPMIN', reports, surplus)
  for index = 1, #oldest, 2 do redis.call('HDEL', contents, oldest[index]) end
end
return 1
