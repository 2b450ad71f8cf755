-- Park an event that keeps failing, so that the events behind it go on.
--
-- KEYS     events     stream that holds the event: the outbox or `bulk`
--          parked     core.events.parked_events(partition)
--          attempts   core.events.event_attempts(partition)
-- ARGV     group
--          event_id
--          reason     text of the error
--          limit      most parked events of a partition, about
-- RETURNS  1 if parked, 0 if the event is gone

redis.call('HDEL', attempts, group .. ':' .. event_id)
redis.call('XACK', events, group, event_id)
local entry = redis.call('XRANGE', events, event_id, event_id)[1]
if not entry then return 0 end

local fields = entry[2]
redis.call(
  'XADD', parked, 'MAXLEN', '~', limit, '*', 'group', group, 'error', reason, unpack(fields)
)
return 1
