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

local closed = 0
for _, id in ipairs(ids) do
  if redis.call('ZSCORE', reports, id) then
    closed = closed + 1
    close_report(reports, contents, queues, id, by, outcome)
  end
end
trim_reports(queues .. 'done', limit, 'done', contents, queues)
return closed
