-- Purpose: take one of the few seats of a holder: a fair counting semaphore with time-outs (after Redis in Action, 6.3). A
-- new one always gets in: a seat that its process has left to itself makes room first, else the one taken first.
-- KEYS: 1 = keys.seats  2 = keys.seats_seen
-- ARGV: 1 = seat  2 = STREAMS_PER_MEMBER  3 = after how long a silent seat is free, ms  4 = how long the keys are kept, seconds
-- Returns: the seats that made room   Errors: none   Writes: all keys
-- include core/store/lua/includes/ids.lua
local seats, seen = unpack(KEYS)
local seat, most, life, kept = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local now = now_ms()
redis.call('ZREM', seats, seat)
local held = redis.call('ZRANGE', seats, 0, -1)
local gone = {}
local function give_up(index)
  gone[#gone + 1] = table.remove(held, index)
  redis.call('ZREM', seats, gone[#gone])
  redis.call('ZREM', seen, gone[#gone])
end
local function silent()
  for index, other in ipairs(held) do
    if now - tonumber(redis.call('ZSCORE', seen, other) or 0) > life then return index end
  end
end
while #held >= most do give_up(silent() or 1) end
-- Turns are counted, not timed: the order is that of the script's runs, whatever the clock does.
local newest = redis.call('ZRANGE', seats, -1, -1, 'WITHSCORES')
redis.call('ZADD', seats, tonumber(newest[2] or 0) + 1, seat)
redis.call('ZADD', seen, id_text(now), seat)
redis.call('EXPIRE', seats, kept)
redis.call('EXPIRE', seen, kept)
return gone
