-- Release a claim whose account was refused, so that the login is free again.
--
-- KEYS     login   accounts.login(login)
-- ARGV     claim
-- RETURNS  1 if the login still held the claim, else 0
-- WRITES   login

if redis.call('GET', login) ~= claim then return 0 end
return redis.call('DEL', login)
