-- Return an error unless the hash `member` is an account that is not suspended.
local function require_active(member, uid)
  local login, suspended = unpack(redis.call('HMGET', member, 'login', 'suspended'))
  if not login then return redis.error_reply('NOMEMBER ' .. uid) end
  if suspended then return redis.error_reply('SUSPENDED ' .. uid) end
end
