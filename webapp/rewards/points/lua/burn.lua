-- Erase the points of a deleted member, and note that they are gone.
--
-- KEYS     user        accounts.user(uid)
--          points      rewards.points.points(uid)
--          totals      rewards.points.points_totals(uid)
--          check_ins   rewards.points.check_ins.prefix(uid)
-- ARGV     years...   that may have check-ins
-- RETURNS  the points
-- WRITES   all keys but user
-- FENCED

if redis.call('HEXISTS', user, 'login') == 1 then return 0 end
local balance = tonumber(redis.call('GET', points) or 0)
if balance ~= 0 then redis.call('HINCRBY', totals, 'burnt', -balance) end
redis.call('DEL', points)
for _, year in ipairs(years) do redis.call('DEL', check_ins .. uid .. ':' .. year) end
return balance
