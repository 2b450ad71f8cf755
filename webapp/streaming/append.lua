-- Purpose: append an event to the site's log, once: what is at or below the partition's mark is in it already.
-- KEYS: 1 = keys.log  2 = keys.marks   ARGV: 1 = partition  2 = outbox id  3 = LOG_MAX  4… = the event's fields and values
-- Returns: the log id, or false when it was there   Writes: all keys
local log, marks, partition, oid, max = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3]
local function later(one, other)
  local ms, seq = string.match(one, '^(%d+)-(%d+)$')
  local ms2, seq2 = string.match(other, '^(%d+)-(%d+)$')
  return tonumber(ms) > tonumber(ms2) or ms == ms2 and tonumber(seq) > tonumber(seq2)
end
local mark = redis.call('HGET', marks, partition)
if mark and not later(oid, mark) then return false end
redis.call('HSET', marks, partition, oid)
return redis.call('XADD', log, 'MAXLEN', '~', max, '*', 'p', partition, 'oid', oid, unpack(ARGV, 4))
