-- Purpose: take a place among a member's bots for an account that is about to be made.
-- KEYS: 1 = keys.bots  2 = keys.user   (of the owner)
-- ARGV: 1 = uid of the owner  2 = uid of the bot  3 = BOTS_MAX; then uids of bots that have no account
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, ISBOT, BOTSFULL   Writes: KEYS[1]
-- include core/store/lua/includes/ids.lua
local STALE_MS = 60000
local bots, user = KEYS[1], KEYS[2]
local uid, bot, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
local owner = redis.call('HMGET', user, 'login', 'suspended', 'bot')
if not owner[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if owner[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if owner[3] then return redis.error_reply('ISBOT ' .. uid) end
local now = now_ms()
for index = 4, #ARGV do
  if tonumber(redis.call('ZSCORE', bots, ARGV[index]) or now) < now - STALE_MS then redis.call('ZREM', bots, ARGV[index]) end
end
if redis.call('ZCARD', bots) >= most then return redis.error_reply('BOTSFULL ' .. most) end
redis.call('ZADD', bots, now, bot)
return 1
