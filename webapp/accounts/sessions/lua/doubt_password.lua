-- Note that a password must be replaced, unless it was changed meanwhile.
--
-- KEYS     password   accounts.password(uid)
--          member     accounts.user(uid)
-- ARGV     hash
-- RETURNS  1, or 0 if it was changed
-- WRITES   member

if redis.call('GET', password) ~= hash then return 0 end
redis.call('HSETNX', member, 'password_until', 0)
return 1
