-- Closing a report. Needs reports/lua/includes/report_lists.lua.

-- Move an open report to those that are done.
local function close_report(reports, contents, queues, id, by, outcome)
  redis.call('ZREM', reports, id)
  local now = free_score(queues .. 'done', now_ms(), -1)
  local content = cjson.decode(redis.call('HGET', contents, id) or '{}')
  local category = category_and_author(content)
  redis.call('ZREM', queues .. 'open.' .. category, id)
  if content.taken then redis.call('ZREM', queues .. 'taken.' .. content.taken, id) end
  leave_groups(content, queues, id)
  content.done, content.by, content.outcome, content.taken = now, by, outcome, nil
  store_content(contents, id, content)
  redis.call('ZADD', queues .. 'done', now, id)
  redis.call('ZADD', queues .. 'done.' .. category, now, id)
end
