-- Purpose: read a page of a member's own statuses, whole: of each of the lists given.
-- KEYS: 1 = keys.status_prefix; then keys.profile, keys.replied
-- ARGV: 1 = upper bound: '+inf' or '(id'  2 = statuses wanted of each  3… = fields of a status
-- Returns: {id, the fields} each, newest first in each list
-- Writes: nothing
local found = {}
for list = 2, #KEYS do
  for _, entry in ipairs(redis.call('ZRANGE', KEYS[list], ARGV[1], '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2])) do
    local id = string.match(entry, '^%d+')
    local fields = redis.call('HMGET', KEYS[1] .. id, unpack(ARGV, 3))
    found[#found + 1] = {id, unpack(fields, 1, #ARGV - 2)}
  end
end
return found
