-- Members who may act.
--
-- KEYS     member   accounts.user(uid)
-- WRITES   nothing

-- Refuse unless an account has a login and is not suspended.
local function refuse_inactive(login, suspended, uid)
  if not login then refuse('NOMEMBER', uid) end
  if suspended then refuse('SUSPENDED', uid) end
end

-- The same for `member`.
local function require_active()
  local login, suspended = unpack(redis.call('HMGET', member, 'login', 'suspended'))
  refuse_inactive(login, suspended, uid)
end

-- The same, or one who waits to be accepted: an app that signs such a member up gets a token.
local function require_active_or_waiting()
  local login, suspended, waiting =
    unpack(redis.call('HMGET', member, 'login', 'suspended', 'waiting'))
  refuse_inactive(login, suspended and not waiting, uid)
end

local function is_active_member()
  local login, suspended = unpack(redis.call('HMGET', member, 'login', 'suspended'))
  return login and not suspended
end
