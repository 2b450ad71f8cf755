-- Add an entry to a member's security log. `agent`: the browser's User-Agent, nil or '' for none.
-- Failures in a row are one entry with their number, so that guessing pushes nothing else out.
local function note(security_log, kind, agent)
  local count = 1
  if kind == 'failed' then
    local newest = redis.call('XREVRANGE', security_log, '+', '-', 'COUNT', 1)[1]
    local fields = newest and newest[2] -- names and values in turn, as they are added below
    if fields and fields[2] == 'failed' then
      count = tonumber(fields[4]) + 1
      redis.call('XDEL', security_log, newest[1])
    end
  end
  redis.call('XADD', security_log, 'MAXLEN', 100, '*',
    'kind', kind, 'count', count, 'agent', agent or '')
end
