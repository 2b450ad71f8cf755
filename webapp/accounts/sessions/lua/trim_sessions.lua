-- Remove a partition's expired sessions and, above its share, the least recently seen.
--
-- KEYS     sessions         accounts.sessions(partition)
--          session_prefix   accounts.session(partition, '')
-- ARGV     share   most sessions of the partition
--          ttl     seconds
--          limit   most sessions that one call removes
-- RETURNS  how many were removed
-- WRITES   sessions, session_prefix
-- include core/store/lua/includes/ids.lua

local oldest_alive = math.floor(now_ms() / 1000) - tonumber(ttl)
local expired = redis.call('ZCOUNT', sessions, '-inf', oldest_alive)
local surplus = redis.call('ZCARD', sessions) - tonumber(share)
local count = math.min(math.max(expired, surplus), tonumber(limit))
if count <= 0 then return 0 end

local removed = redis.call('ZPOPMIN', sessions, count)
for i = 1, #removed, 2 do redis.call('DEL', session_prefix .. removed[i]) end -- shas and scores
return count
