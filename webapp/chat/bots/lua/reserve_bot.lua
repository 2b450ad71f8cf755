-- Reserve a place among a member's bots, for an account that is about to be made.
--
-- KEYS     bots   chat.bots.bots(uid)
--          user   accounts.user(uid)
-- ARGV     bot          uid of the bot
--          limit        config.bots_max
--          missing...   uids of bots that have no account
-- ERRORS   NOMEMBER, SUSPENDED, ISBOT, BOTSFULL
-- WRITES   bots

local RESERVATION_MS = 60000
local login, suspended, is_bot = unpack(redis.call('HMGET', user, 'login', 'suspended', 'bot'))
if not login then refuse('NOMEMBER', uid) end
if suspended then refuse('SUSPENDED', uid) end
if is_bot then refuse('ISBOT', uid) end

local now = now_ms()
for _, abandoned in ipairs(missing) do
  local reserved = tonumber(redis.call('ZSCORE', bots, abandoned) or now)
  if reserved < now - RESERVATION_MS then redis.call('ZREM', bots, abandoned) end
end
if redis.call('ZCARD', bots) >= tonumber(limit) then refuse('BOTSFULL', limit) end
redis.call('ZADD', bots, now, bot)
return 1
