-- Store a member's report, one open report for each subject. The oldest go. Its time is when it
-- comes to the moderators: later for one that the owners of groups see first.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
--          queues     reports.report_queue('')
-- ARGV     report_id   `uid:subject`
--          content     the reported content, JSON
--          replaces    the beginning of the ids of open reports that it replaces, or ''
--          held        ms for which only owners of groups see it
--          limit       config.reports_max
-- RETURNS  1, or 0 if that is reported already

if redis.call('ZSCORE', reports, report_id) then return 0 end
local due = free_score(reports, now_ms() + tonumber(held), 1)
local decoded = cjson.decode(content)
local category, author = category_and_author(decoded)
local earlier = redis.call('HGET', contents, report_id)
if earlier then -- it is done, and reported again
  redis.call('ZREM', queues .. 'done', report_id)
  redis.call('ZREM', queues .. 'done.' .. (category_and_author(cjson.decode(earlier))), report_id)
end
if replaces ~= '' then
  for _, id in ipairs(redis.call('ZRANGE', queues .. 'about.' .. author, 0, -1)) do
    if string.sub(id, 1, #replaces) == replaces and redis.call('ZREM', reports, id) == 1 then
      forget_report(id, 'open', contents, queues)
    end
  end
end
redis.call('ZADD', reports, due, report_id)
redis.call('ZADD', queues .. 'open.' .. category, due, report_id)
redis.call('ZADD', queues .. 'about.' .. author, due, report_id)
for _, gid in ipairs(decoded.groups or {}) do
  redis.call('ZADD', queues .. 'group.' .. gid, id_text(due - tonumber(held)), report_id)
end
redis.call('HSET', contents, report_id, content)
trim_reports(reports, limit, 'open', contents, queues)
return 1
