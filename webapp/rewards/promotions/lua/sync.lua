-- Write the row of a promotion into the index, if it is another one, and list it while it waits. An
-- empty row removes it.
--
-- KEYS     rows      rewards.promotions.promotion_rows()
--          changes   rewards.promotions.promotion_changes()
--          waiting   rewards.promotions.waiting_promotions()
-- ARGV     id
--          row      JSON, or ''
--          waits    1 if it waits for a review, else 0
-- RETURNS  1 if it changed, else 0
-- FENCED

local GONE_MAX = 1000
local old = redis.call('HGET', rows, id) or ''
if waits == '1' then redis.call('ZADD', waiting, id, id) else redis.call('ZREM', waiting, id) end
if old == row then return 0 end
if row == '' then redis.call('HDEL', rows, id) else redis.call('HSET', rows, id, row) end
local newest = redis.call('ZRANGE', changes, -1, -1, 'WITHSCORES')[2] or 0
redis.call('ZADD', changes, newest + 1, id)
local surplus = redis.call('ZCARD', changes) - redis.call('HLEN', rows) - GONE_MAX
if surplus > 0 then
  for _, one in ipairs(redis.call('ZRANGE', changes, 0, 99)) do
    if surplus > 0 and redis.call('HEXISTS', rows, one) == 0 then
      redis.call('ZREM', changes, one)
      surplus = surplus - 1
    end
  end
end
return 1
