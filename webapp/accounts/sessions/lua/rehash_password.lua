-- Store a password hashed at the current cost, unless the password was changed meanwhile.
--
-- KEYS     password   accounts.password(uid)
-- ARGV     old_hash
--          new_hash
-- RETURNS  1 if stored, else 0

if redis.call('GET', password) ~= old_hash then return 0 end
redis.call('SET', password, new_hash)
return 1
