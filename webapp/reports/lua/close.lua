-- Move open reports to those that are done. Others are left as they are.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
--          queues     reports.report_queue('')
-- ARGV     by        uid of who answered them, 0 for an operator
--          outcome   the act that answers them
--          limit     REPORTS_MAX
--          names...   ids, or `id@time` for the report of that time only
-- RETURNS  how many were open

local closed = 0
for _, name in ipairs(names) do
  local id, time = string.match(name, '^([^@]*)@?(.*)$')
  local reported_at = redis.call('ZSCORE', reports, id)
  if reported_at and (time == '' or time == reported_at) then
    closed = closed + 1
    close_report(reports, contents, queues, id, by, outcome)
  end
end
trim_reports(queues .. 'done', limit, 'done', contents, queues)
return closed
