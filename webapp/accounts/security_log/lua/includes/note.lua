-- A member's security log.
--
-- KEYS     security_log   accounts.security_log.security_log(uid)

-- Add an entry to it, and to the operator's. `agent`: `Device.note`, nil or '' for no device. Only
-- the operator's gets the network. The notice in a third line is mailed to the member.
local function note(kind, agent)
  local browser, network, notice = string.match(agent or '', '^([^\n]*)\n?([^\n]*)\n?(.*)$')
  redis.call('XADD', security_log, 'MAXLEN', 100, '*', 'kind', kind, 'count', 1, 'agent', browser)
  note_entry(kind, 'network', network)
  queue_notice(notice)
end
