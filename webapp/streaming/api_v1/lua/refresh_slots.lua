-- Purpose: say that the processes of some seats are alive, as many holders of one partition as there are.
-- KEYS: for each seat its holder's keys.seats, keys.seats_seen   ARGV: 1 = how long the keys are kept, seconds  2… = the seats
-- Returns: for each seat 1, or 0 when it was lost   Errors: none   Writes: all keys
-- include core/store/lua/includes/ids.lua
local kept, now = ARGV[1], id_text(now_ms())
local held = {}
for index = 1, #ARGV - 1 do
  local seats, seen, seat = KEYS[2 * index - 1], KEYS[2 * index], ARGV[index + 1]
  held[index] = redis.call('ZSCORE', seats, seat) and 1 or 0
  if held[index] == 1 then
    redis.call('ZADD', seen, now, seat)
    redis.call('EXPIRE', seats, kept)
    redis.call('EXPIRE', seen, kept)
  end
end
return held
