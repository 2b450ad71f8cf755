-- Purpose: append a run of events to the site's log, each once: what is at or below the partition's mark is in it already.
-- KEYS: 1 = keys.log  2 = keys.marks
-- ARGV: 1 = partition  2 = LOG_MAX; then for each event its outbox id, how many words follow, and its fields and values
-- Returns: how many were new   Writes: all keys
local log, marks, partition, max = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local function later(one, other)
  local ms, seq = string.match(one, '^(%d+)-(%d+)$')
  local ms2, seq2 = string.match(other, '^(%d+)-(%d+)$')
  return tonumber(ms) > tonumber(ms2) or ms == ms2 and tonumber(seq) > tonumber(seq2)
end
local mark, added, at = redis.call('HGET', marks, partition), 0, 3
while at <= #ARGV do
  local oid, words = ARGV[at], tonumber(ARGV[at + 1])
  if not mark or later(oid, mark) then
    redis.call('XADD', log, 'MAXLEN', '~', max, '*', 'p', partition, 'oid', oid, unpack(ARGV, at + 2, at + 1 + words))
    redis.call('HSET', marks, partition, oid)
    mark, added = oid, added + 1
  end
  at = at + 2 + words
end
return added
