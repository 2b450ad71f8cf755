-- Mark a member as a pull author.
--
-- KEYS     user   accounts.user(author)
-- RETURNS  1, or 0 if the account is gone

if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
redis.call('HSET', user, 'pull_author', 1)
return 1
