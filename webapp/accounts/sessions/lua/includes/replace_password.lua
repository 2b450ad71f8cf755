-- Passwords that are replaced, and what ends with the old one.
--
-- KEYS     password   accounts.password(uid)
--          email      accounts.email.email(uid)

-- Store a member's new password, and end what `close_access` ends, and links and codes by mail.
local function replace_password(new_hash, keep, revoke)
  redis.call('SET', password, new_hash)
  redis.call('HDEL', member, 'password_until')
  redis.call('HDEL', email, 'reset', 'login')
  return close_access(keep, revoke)
end
