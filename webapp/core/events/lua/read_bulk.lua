-- Read the first event of a partition that the group `bulk` has not finished. Count the attempt.
--
-- KEYS     lease      core.events.lease(partition, BULK)
--          bulk       core.events.bulk_events(partition)
--          progress   core.events.bulk_progress(partition)
--          attempts   core.events.event_attempts(partition)
-- ARGV     token   fencing token of the reader
-- RETURNS  {event id, its fields, how far it is or '', number of this attempt}, or nothing
-- ERRORS   LEASELOST
-- WRITES   attempts

if redis.call('HGET', lease, 'token') ~= token then
  refuse('LEASELOST', 'a newer owner reads here')
end
local entry = redis.call('XRANGE', bulk, '-', '+', 'COUNT', 1)[1]
if not entry then return nil end
local id, fields = entry[1], entry[2]
local attempt = redis.call('HINCRBY', attempts, 'bulk:' .. id, 1)
return {id, fields, redis.call('HGET', progress, id) or '', attempt}
