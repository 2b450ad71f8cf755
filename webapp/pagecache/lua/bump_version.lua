-- Purpose: number the change of a member, so that no page is shown which shows them as they were.
-- KEYS: 1 = keys.edits   ARGV: 1 = members remembered  then the uids
-- Returns: 1   Errors: none   Writes: KEYS 1
local edits = KEYS[1]
local time = redis.call('TIME')
-- Counted on from the time, so that the numbers go on growing where the last ones were lost.
local last = math.max(tonumber(redis.call('ZRANGE', edits, 0, 0, 'REV', 'WITHSCORES')[2]) or 0, time[1] * 1e6 + time[2])
for number = 2, #ARGV do redis.call('ZADD', edits, string.format('%.0f', last + number - 1), ARGV[number]) end
redis.call('ZREMRANGEBYRANK', edits, 0, -(tonumber(ARGV[1]) + 1))
return 1
