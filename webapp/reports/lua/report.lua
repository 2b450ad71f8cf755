-- Store a member's report for the moderators, one open report for each subject. The oldest go.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
--          queues     reports.report_queue('')
-- ARGV     report_id   `uid:subject`
--          content     the reported content, JSON
--          limit       REPORTS_MAX
-- RETURNS  1, or 0 if that is reported already
-- WRITES   all keys
-- include core/store/lua/includes/ids.lua
-- include reports/lua/includes/report_lists.lua

if redis.call('ZSCORE', reports, report_id) then return 0 end
local now = id_text(now_ms())
local category, author = category_and_author(cjson.decode(content))
local earlier = redis.call('HGET', contents, report_id)
if earlier then -- it is done, and reported again
  redis.call('ZREM', queues .. 'done', report_id)
  redis.call('ZREM', queues .. 'done.' .. (category_and_author(cjson.decode(earlier))), report_id)
end
redis.call('ZADD', reports, now, report_id)
redis.call('ZADD', queues .. 'open.' .. category, now, report_id)
redis.call('ZADD', queues .. 'about.' .. author, now, report_id)
redis.call('HSET', contents, report_id, content)
trim_reports(reports, limit, 'open', contents, queues)
return 1
