-- Save the rule by which a member's old posts are deleted, or remove it.
--
-- KEYS     auto_delete   statuses.auto_delete.auto_delete(uid)
--          due           statuses.auto_delete.auto_delete_due(uid)
-- ARGV     rule     '' to delete nothing
--          due_at   when the job begins, unix seconds
-- RETURNS  1 if the rule changed, else 0
-- ERRORS   NOMEMBER, SUSPENDED

require_active()
if (redis.call('HGET', auto_delete, 'rule') or '') == rule then return 0 end

redis.call('DEL', auto_delete)
redis.call('ZREM', due, uid)
if rule ~= '' then
  redis.call('HSET', auto_delete, 'rule', rule)
  redis.call('ZADD', due, due_at, uid)
end
return 1
