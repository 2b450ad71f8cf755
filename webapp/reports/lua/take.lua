-- Note which moderator takes care of open reports.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
--          queues     reports.report_queue('')
-- ARGV     by       uid
--          ids...
-- RETURNS  how many were open
-- WRITES   contents, queues

local taken = 0
for _, id in ipairs(ids) do
  local reported_at, stored = redis.call('ZSCORE', reports, id), redis.call('HGET', contents, id)
  if reported_at and stored then
    taken = taken + 1
    local content = cjson.decode(stored)
    if content.taken then redis.call('ZREM', queues .. 'taken.' .. content.taken, id) end
    content.taken = by
    store_content(contents, id, content)
    redis.call('ZADD', queues .. 'taken.' .. by, reported_at, id)
  end
end
return taken
