-- Passwords that are replaced, and what ends with the old one.
-- include accounts/sessions/lua/includes/close_access.lua

-- Store a member's new password, and end what `close_access` ends, and links and codes by mail.
local function replace_password(keys, uid, new_hash, keep, revoke)
  redis.call('SET', keys.password, new_hash)
  redis.call('HDEL', keys.member, 'password_until')
  redis.call('HDEL', keys.email, 'reset', 'login')
  return close_access(keys, uid, keep, revoke)
end
