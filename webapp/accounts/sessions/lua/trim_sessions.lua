-- Purpose: remove a partition's expired sessions and, above its share, those least recently seen.
-- KEYS: 1 = keys.sessions  2 = keys.session of '' (the sessions' common beginning, in this partition)
-- ARGV: 1 = share, sessions  2 = life, seconds  3 = how many to remove at most
-- Returns: how many were removed   Writes: KEYS[1] and sessions below KEYS[2]
-- include core/store/lua/includes/ids.lua
local sessions, prefix = KEYS[1], KEYS[2]
local share, life, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local expired = redis.call('ZCOUNT', sessions, '-inf', math.floor(now_ms() / 1000) - life)
local excess = math.min(math.max(expired, redis.call('ZCARD', sessions) - share), most)
if excess <= 0 then return 0 end
for index, part in ipairs(redis.call('ZPOPMIN', sessions, excess)) do
  if index % 2 == 1 then redis.call('DEL', prefix .. part) end
end
return excess
