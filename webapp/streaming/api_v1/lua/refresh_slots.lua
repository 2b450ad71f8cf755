-- Note that the streams in some slots are still open; their holders share one partition.
--
-- KEYS     slots_and_seen...  for each slot its holder's connection_slots, then its _seen
-- ARGV     key_ttl   how long the keys live without a change, seconds
--          slots...  the slots, in the order of their keys
-- RETURNS  for each slot 1, or 0 if another stream has taken it
-- ERRORS   none
-- WRITES   connection_slots, connection_slots_seen
-- include core/store/lua/includes/ids.lua

local now = id_text(now_ms())
local still_held = {}
for place, slot in ipairs(slots) do
  local holder_slots = slots_and_seen[2 * place - 1]
  local holder_seen = slots_and_seen[2 * place]
  still_held[place] = 0
  if redis.call('ZSCORE', holder_slots, slot) then
    still_held[place] = 1
    redis.call('ZADD', holder_seen, now, slot)
    redis.call('EXPIRE', holder_slots, key_ttl)
    redis.call('EXPIRE', holder_seen, key_ttl)
  end
end
return still_held
