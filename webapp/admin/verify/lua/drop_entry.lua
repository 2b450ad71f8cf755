-- Drop an entry of a member's list of statuses if the status is gone.
--
-- KEYS     status   statuses.status(id)
--          list     zset: `id` or `id:to`
-- ARGV     uid     whose list it is
--          entry   of the list
-- RETURNS  1 if it is dropped, else 0
-- WRITES   list

if redis.call('HGET', status, 'author') == uid then return 0 end
return redis.call('ZREM', list, entry)
