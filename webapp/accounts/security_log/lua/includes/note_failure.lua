-- Add a failed log-in to a stream of names and values. Those in a row that are alike are one entry
-- with their number, so that guessing pushes nothing else out. `alike`: how many names and values
-- must be the same, from the first on; the number follows them.
local function add_failure(stream, most, alike, fields)
  local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  local count = newest and tonumber(newest[2][alike + 2]) or 0
  for i = 1, alike do
    if newest and newest[2][i] ~= fields[i] then count = 0 end
  end
  if count > 0 then redis.call('XDEL', stream, newest[1]) end
  fields[alike + 2] = count + 1
  redis.call('XADD', stream, 'MAXLEN', most, '*', unpack(fields))
end

-- Note it for the operator, and for its member if `uid` is not ''. `agent`: as for `note`.
local function note_failure(security_log, security_failures, uid, agent)
  local browser, network = string.match(agent or '', '^([^\n]*)\n?(.*)$')
  add_failure(security_failures, 500, 6,
    {'uid', uid, 'kind', 'failed', 'network', network, 'count', 1})
  if uid ~= '' then
    add_failure(security_log, 100, 2, {'kind', 'failed', 'count', 1, 'agent', browser})
  end
end
