-- Reserve a login that nobody uses any longer for a while; then it is free. Or keep one that its
-- member took back.
--
-- KEYS     login   accounts.login(login)
-- ARGV     uid
--          seconds   for how long, '' to keep it
-- RETURNS  1 if the time starts or ends now, else 0

local claim = redis.call('GET', login)
if not claim or string.match(claim, '^%d+') ~= uid then return 0 end
if seconds == '' then return redis.call('PERSIST', login) end
return redis.call('EXPIRE', login, seconds, 'NX')
