-- Take out a block whose lines are in the file of their day, and add its counts. Once.
--
-- KEYS     blocks     access_log.blocks()
--          progress   access_log.progress()
--          totals     access_log.day_counts(day)
-- ARGV     block       id
--          file        `host:day`
--          size        bytes of the file
--          counts...   name and number
-- RETURNS  1, or 0 if another worker was first

local KEPT_SECONDS = 400 * 86400

local entry = redis.call('XRANGE', blocks, block, block)[1]
if not entry then return 0 end
redis.call('XDEL', blocks, block)
redis.call('HINCRBY', progress, 'waiting', -#entry[2][4])
redis.call('HSET', progress, file, size)
for index = 1, #counts, 2 do redis.call('HINCRBY', totals, counts[index], counts[index + 1]) end
redis.call('EXPIRE', totals, KEPT_SECONDS)
return 1
