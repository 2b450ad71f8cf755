-- Note that the streams in some slots are still open; their holders share one partition.
--
-- KEYS     slots_and_seen...   for each slot its holder's connection_slots, then its _seen
-- ARGV     key_ttl    how long the keys live without a change, seconds
--          slots...   the slots, in the order of their keys
-- RETURNS  for each slot 1, 0 if another stream has taken it, or 2 if that one asks for the same

local now = id_text(now_ms())
local HELD, LOST, DUPLICATE = 1, 0, 2
local states = {}
for place, slot in ipairs(slots) do
  local holder_slots = slots_and_seen[2 * place - 1]
  local holder_seen = slots_and_seen[2 * place]
  states[place] = LOST
  if redis.call('ZSCORE', holder_slots, slot) then
    states[place] = HELD
    redis.call('ZADD', holder_seen, now, slot)
    redis.call('EXPIRE', holder_slots, key_ttl)
    redis.call('EXPIRE', holder_seen, key_ttl)
  elseif tonumber(redis.call('ZSCORE', holder_seen, slot) or 0) < 0 then
    states[place] = DUPLICATE
    redis.call('ZREM', holder_seen, slot)
  end
end
return states
