-- Purpose: refuse what a member asks for who is gone or suspended.
local function barred(user, uid)
  local login, suspended = unpack(redis.call('HMGET', user, 'login', 'suspended'))
  if not login then return redis.error_reply('NOMEMBER ' .. uid) end
  if suspended then return redis.error_reply('SUSPENDED ' .. uid) end
end
