-- Add an entry to a member's security log, and to the operator's. `agent`: `Device.note`, nil or ''
-- for no device. Only the operator's gets the network.
-- include accounts/security_log/lua/includes/note_entry.lua
local function note(security_log, security_entries, uid, kind, agent)
  local browser, network = string.match(agent or '', '^([^\n]*)\n?(.*)$')
  redis.call('XADD', security_log, 'MAXLEN', 100, '*', 'kind', kind, 'count', 1, 'agent', browser)
  note_entry(security_entries, uid, kind, 'network', network)
end
