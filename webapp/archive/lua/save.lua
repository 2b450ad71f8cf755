-- Save how far a task is, and prolong its lease. A finished task is not due any more.
--
-- KEYS     tasks   archive.data_tasks(uid)
--          due     archive.due_tasks(uid)
-- ARGV     kind
--          lease_expires   as claimed
--          lease           ms
--          task            JSON
--          finished        1 or 0
-- RETURNS  1, or 0 if another worker has claimed it since, or the account is deleted

local entry = uid .. ':' .. kind
if redis.call('HGET', tasks, kind .. ':lease') ~= lease_expires then return 0 end
redis.call('HSET', tasks, kind, task, kind .. ':tries', 0)
if finished == '1' then
  redis.call('ZREM', due, entry)
  redis.call('HDEL', tasks, kind .. ':lease')
else
  redis.call('ZADD', due, id_text(now_ms() + tonumber(lease)), entry)
end
return 1
