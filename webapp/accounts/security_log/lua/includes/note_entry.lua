-- Add an entry to the operator's security log: names and values in turn after the kind.
local function note_entry(entries, uid, kind, ...)
  redis.call('XADD', entries, 'MAXLEN', 500, '*', 'uid', uid, 'kind', kind, ...)
end
