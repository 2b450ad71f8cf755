-- Purpose: write from whom a member wants to hear of what.
-- KEYS: 1 = keys.user   ARGV: 1 = uid; then kinds, and for each `followed` or `nobody`, '' for everyone
-- Returns: 1   Errors: NOMEMBER   Writes: KEYS[1]
local user, uid = KEYS[1], ARGV[1]
if redis.call('HEXISTS', user, 'login') == 0 then return redis.error_reply('NOMEMBER ' .. uid) end
for index = 2, #ARGV, 2 do
  local field, choice = 'notify:' .. ARGV[index], ARGV[index + 1]
  if choice == '' then redis.call('HDEL', user, field) else redis.call('HSET', user, field, choice) end
end
return 1
