-- Purpose: stop keeping the homes of members who stayed away; their next visit builds them anew.
-- KEYS: 1 = keys.active  2 = keys.home_prefix   ARGV: 1 = how long they stayed away, seconds  2 = how many at most
-- Returns: how many were retired   Writes: KEYS[1] and homes below KEYS[2]
-- include core/store/lua/includes/ids.lua
local active, homes = KEYS[1], KEYS[2]
local limit = math.floor(now_ms() / 1000) - tonumber(ARGV[1])
local gone = redis.call('ZRANGE', active, -limit, limit, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, uid in ipairs(gone) do
  redis.call('ZREM', active, uid)
  redis.call('UNLINK', homes .. uid)
end
return #gone
