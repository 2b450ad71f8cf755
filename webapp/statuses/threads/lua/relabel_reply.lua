-- Write the new login of a member into a reply to one of their posts.
--
-- KEYS     status   statuses.status(id)
-- ARGV     login
-- RETURNS  1, or 0 if the reply is gone
-- FENCED

if not redis.call('HGET', status, 'reply_to_login') then return 0 end
redis.call('HSET', status, 'reply_to_login', login)
return 1
