-- Release some connection slots; their holders share one partition.
--
-- KEYS     slots_and_seen...   for each slot its holder's connection_slots, then its _seen
-- ARGV     slots...   the slots, in the order of their keys
-- RETURNS  how many of them were held

local released = 0
for place, slot in ipairs(slots) do
  released = released + redis.call('ZREM', slots_and_seen[2 * place - 1], slot)
  redis.call('ZREM', slots_and_seen[2 * place], slot)
end
return released
