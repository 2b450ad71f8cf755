-- Members who may act.
--
-- KEYS     member   accounts.user(uid)
-- WRITES   nothing

-- Return an error unless an account has a login and is not suspended.
local function refuse_inactive(login, suspended, uid)
  if not login then return redis.error_reply('NOMEMBER ' .. uid) end
  if suspended then return redis.error_reply('SUSPENDED ' .. uid) end
end

-- The same for `member`.
local function require_active()
  local login, suspended = unpack(redis.call('HMGET', member, 'login', 'suspended'))
  return refuse_inactive(login, suspended, uid)
end
