-- Reserve a login that nobody uses any longer for a while; then it is free.
--
-- KEYS     login   accounts.login(login)
-- ARGV     uid
--          seconds   for how long
-- RETURNS  1 if the time starts now, else 0

local claim = redis.call('GET', login)
if not claim or string.match(claim, '^%d+') ~= uid then return 0 end
return redis.call('EXPIRE', login, seconds, 'NX')
