-- Save how far the group `bulk` is with an event, or that it is done with it. Forget its failures.
--
-- KEYS     lease      core.events.lease(partition, BULK)
--          bulk       core.events.bulk_events(partition)
--          progress   core.events.bulk_progress(partition)
--          attempts   core.events.event_attempts(partition)
-- ARGV     token      fencing token of the worker
--          event_id
--          position   how far it is, or 'done'
-- ERRORS   LEASELOST
-- WRITES   bulk, progress, attempts

if redis.call('HGET', lease, 'token') ~= token then
  refuse('LEASELOST', 'a newer owner works here')
end
redis.call('HDEL', attempts, 'bulk:' .. event_id)
if position == 'done' then
  redis.call('XDEL', bulk, event_id)
  redis.call('HDEL', progress, event_id)
else
  redis.call('HSET', progress, event_id, position)
end
return 1
