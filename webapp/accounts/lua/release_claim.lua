-- Release a claim on a login or an address, so that it is free again. A reserved one stays so.
--
-- KEYS     login   string: the claim
-- ARGV     claim
-- RETURNS  1 if it is free now, else 0

if redis.call('GET', login) ~= claim or redis.call('TTL', login) >= 0 then return 0 end
return redis.call('DEL', login)
