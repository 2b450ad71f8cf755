-- Find the oldest event of each stream that has any.
--
-- KEYS     streams...   outboxes, and streams of bulk events
-- RETURNS  names of streams, each followed by the id of its oldest event
-- WRITES   nothing

local found = {}
for _, stream in ipairs(streams) do
  local entries = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)
  if #entries > 0 then
    found[#found + 1] = stream
    found[#found + 1] = entries[1][1]
  end
end
return found
