-- Note up to which post the job has come with a member's rule, unless the rule has changed.
--
-- KEYS     user          accounts.user(uid)
--          auto_delete   statuses.auto_delete.auto_delete(uid)
--          due           statuses.auto_delete.auto_delete_due(uid)
-- ARGV     rule     that the job applied, '' if it found none
--          above    the id of the last post that it looked at, 0 to begin again
--          due_at   when it goes on, unix seconds
-- WRITES   auto_delete, due

if redis.call('HEXISTS', user, 'login') == 0 then
  redis.call('ZREM', due, uid)
elseif redis.call('HGET', auto_delete, 'rule') == rule then
  redis.call('HSET', auto_delete, 'above', above)
  redis.call('ZADD', due, due_at, uid)
end
return 1
