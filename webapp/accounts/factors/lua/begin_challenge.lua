-- Store a sign-in that waits for its code.
--
-- KEYS     challenge   accounts.factors.challenge(uid, sha)
-- ARGV     epoch   of the member, when the password was verified
--          ttl     seconds

redis.call('HSET', challenge, 'uid', uid, 'epoch', epoch, 'tries', 0)
return redis.call('EXPIRE', challenge, ttl)
