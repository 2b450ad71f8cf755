-- Release a claim on a login or an address, so that it is free again.
--
-- KEYS     login   string: the claim
-- ARGV     claim
-- RETURNS  1 if it still held the claim, else 0

if redis.call('GET', login) ~= claim then return 0 end
return redis.call('DEL', login)
