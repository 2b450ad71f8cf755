-- Purpose: give seats up, as many holders of one partition as there are.
-- KEYS: for each seat its holder's keys.seats, keys.seats_seen   ARGV: the seats
-- Returns: how many were held   Errors: none   Writes: all keys
local left = 0
for index, seat in ipairs(ARGV) do
  left = left + redis.call('ZREM', KEYS[2 * index - 1], seat)
  redis.call('ZREM', KEYS[2 * index], seat)
end
return left
