-- Purpose: say where a bot is told of messages. What waits for it goes there too.
-- KEYS: 1 = keys.webhook  2 = keys.user   ARGV: 1 = uid  2 = url  3 = secret, sealed
-- Returns: 1   Errors: NOMEMBER   Writes: KEYS[1]
local webhook, user = KEYS[1], KEYS[2]
if redis.call('HEXISTS', user, 'bot') == 0 then return redis.error_reply('NOMEMBER ' .. ARGV[1]) end
redis.call('HDEL', webhook, 'failures', 'error')
redis.call('HSET', webhook, 'url', ARGV[2], 'secret', ARGV[3])
return 1
