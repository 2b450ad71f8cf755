-- Purpose: set an event aside that keeps failing, so that those behind it go on.
-- KEYS: 1 = keys.outbox  2 = keys.parked  3 = keys.attempts   ARGV: 1 = group  2 = outbox id  3 = error  4 = PARKED_MAX
-- Returns: 1, or 0 when the event is gone   Writes: all keys
local outbox, parked, attempts = KEYS[1], KEYS[2], KEYS[3]
local group, id, reason, max = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
redis.call('HDEL', attempts, group .. ':' .. id)
redis.call('XACK', outbox, group, id)
local found = redis.call('XRANGE', outbox, id, id)[1]
if not found then return 0 end
local fields = found[2]
redis.call('XADD', parked, 'MAXLEN', '~', max, '*', 'group', group, 'error', reason, unpack(fields))
return 1
