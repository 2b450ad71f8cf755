-- Purpose: put parked events back into the outbox, for the group they failed in only.
-- KEYS: 1 = keys.parked  2 = keys.outbox   ARGV: 1 = partition  2 = how many at most
-- Returns: how many were put back   Writes: all keys
local parked, outbox = KEYS[1], KEYS[2]
local entries = redis.call('XRANGE', parked, '-', '+', 'COUNT', ARGV[2])
for _, entry in ipairs(entries) do
  local fields = {}
  for index = 1, #entry[2], 2 do
    local name, value = entry[2][index], entry[2][index + 1]
    if name == 'group' then name = 'only' end
    if name ~= 'error' then fields[#fields + 1] = name; fields[#fields + 1] = value end
  end
  redis.call('XADD', outbox, '*', unpack(fields))
  redis.call('XDEL', parked, entry[1])
end
if #entries > 0 then redis.call('PUBLISH', 'wake', ARGV[1]) end
return #entries
