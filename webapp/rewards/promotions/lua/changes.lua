-- Read the rows that changed after a version, the oldest change first.
--
-- KEYS     rows      rewards.promotions.promotion_rows()
--          changes   rewards.promotions.promotion_changes()
-- ARGV     version
--          limit
-- RETURNS  ids and versions in turn, and their rows (false for one that is gone)
-- WRITES   nothing

local found = redis.call('ZRANGE', changes, '(' .. version, '+inf', 'BYSCORE', 'LIMIT', 0, limit,
  'WITHSCORES')
local ids = {}
for i = 1, #found, 2 do table.insert(ids, found[i]) end
if #ids == 0 then return {{}, {}} end
return {found, redis.call('HMGET', rows, unpack(ids))}
