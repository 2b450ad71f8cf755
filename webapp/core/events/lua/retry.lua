-- Put parked events back into the outbox, only for the group in which they failed.
--
-- KEYS     parked   core.events.parked_events(partition)
--          outbox   core.events.outbox(partition)
-- ARGV     limit       most events
-- RETURNS  number of events put back

local entries = redis.call('XRANGE', parked, '-', '+', 'COUNT', limit)
for _, entry in ipairs(entries) do
  local entry_id, old = entry[1], entry[2]
  local fields = {}
  for index = 1, #old, 2 do
    local name, value = old[index], old[index + 1]
    if name == 'group' then name = 'only' end
    if name ~= 'error' then
      fields[#fields + 1] = name
      fields[#fields + 1] = value
    end
  end
  redis.call('XADD', outbox, '*', unpack(fields))
  redis.call('XDEL', parked, entry_id)
end
if #entries > 0 then redis.call('PUBLISH', 'wake', partition) end
return #entries
