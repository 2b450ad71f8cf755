-- Purpose: number the change of a member, so that no page is shown which shows them as they were.
-- KEYS: 1 = keys.edits   ARGV: 1 = members remembered  then the uids
-- Returns: 1   Errors: none   Writes: KEYS 1
local edits = KEYS[1]
local last = tonumber(redis.call('ZRANGE', edits, 0, 0, 'REV', 'WITHSCORES')[2]) or 0
for number = 2, #ARGV do redis.call('ZADD', edits, last + number - 1, ARGV[number]) end
redis.call('ZREMRANGEBYRANK', edits, 0, -(tonumber(ARGV[1]) + 1))
return 1
