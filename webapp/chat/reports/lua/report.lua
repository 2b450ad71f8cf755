-- Purpose: keep a member's report for the operator, once for each message; the oldest go.
-- KEYS: 1 = keys.reports  2 = keys.report_words   ARGV: 1 = `uid:cid:message`  2 = what was reported, JSON  3 = REPORTS_MAX
-- Returns: 1, or 0 when it is there already   Errors: none   Writes: all keys
-- include core/store/lua/includes/ids.lua
local reports, words = KEYS[1], KEYS[2]
if redis.call('ZADD', reports, 'NX', id_text(now_ms()), ARGV[1]) == 0 then return 0 end
redis.call('HSET', words, ARGV[1], ARGV[2])
local surplus = redis.call('ZCARD', reports) - tonumber(ARGV[3])
if surplus > 0 then
  local flat = redis.call('ZPOPMIN', reports, surplus)
  for index = 1, #flat, 2 do redis.call('HDEL', words, flat[index]) end
end
return 1
