-- Move open reports to those that are done. Others are left as they are.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
--          queues     reports.report_queue('')
-- ARGV     by        uid of who answered them, 0 for an operator
--          outcome   the act that answers them
--          limit     REPORTS_MAX
--          ids...
-- RETURNS  how many were open
-- WRITES   all keys
-- include core/store/lua/includes/ids.lua
-- include reports/lua/includes/report_lists.lua

local closed, now = 0, id_text(now_ms())
for _, id in ipairs(ids) do
  if redis.call('ZREM', reports, id) == 1 then
    closed = closed + 1
    local content = cjson.decode(redis.call('HGET', contents, id) or '{}')
    local category = category_and_author(content)
    redis.call('ZREM', queues .. 'open.' .. category, id)
    if content.taken then redis.call('ZREM', queues .. 'taken.' .. content.taken, id) end
    content.done, content.by, content.outcome, content.taken = now, by, outcome, nil
    if #(content.texts or {}) == 0 then content.texts = nil end -- cjson writes an empty list as {}
    redis.call('HSET', contents, id, cjson.encode(content))
    redis.call('ZADD', queues .. 'done', now, id)
    redis.call('ZADD', queues .. 'done.' .. category, now, id)
  end
end
trim_reports(queues .. 'done', limit, 'done', contents, queues)
return closed
