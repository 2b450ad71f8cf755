-- The operator's security log.
--
-- KEYS     security_entries   accounts.security_log.security_entries(uid)

-- Add an entry: names and values in turn after the kind.
local function note_entry(kind, ...)
  redis.call('XADD', security_entries, 'MAXLEN', 500, '*', 'uid', uid, 'kind', kind, ...)
end
