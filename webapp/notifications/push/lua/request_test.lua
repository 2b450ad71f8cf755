-- Queue a test message for one of a member's devices.
--
-- KEYS     push_device   notifications.push.push_device(uid, sha)
--          due_pushes    notifications.push.due_pushes(uid)
-- RETURNS  1, or 0 if there is no such device
-- WRITES   due_pushes

if redis.call('EXISTS', push_device) == 0 then return 0 end
redis.call('ZADD', due_pushes, 'NX', id_text(now_ms()), uid .. ':' .. sha .. ':test')
return 1
