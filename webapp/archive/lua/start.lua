-- Start a task of a member, unless one of its kind is not finished or was started lately.
--
-- KEYS     tasks   archive.data_tasks(uid)
--          due     archive.due_tasks(uid)
-- ARGV     kind
--          task    JSON
--          pause   ms between two tasks of this kind
-- ERRORS   NOMEMBER, SUSPENDED, TASKRUNS, TASKEARLY

require_active()
local entry, now = uid .. ':' .. kind, now_ms()
if redis.call('ZSCORE', due, entry) then refuse('TASKRUNS') end
local started = tonumber(redis.call('HGET', tasks, kind .. ':at') or 0)
if now < started + tonumber(pause) then refuse('TASKEARLY') end

redis.call('HSET', tasks, kind, task, kind .. ':at', id_text(now), kind .. ':tries', 0)
redis.call('ZADD', due, id_text(now), entry)
return 1
