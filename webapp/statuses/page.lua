-- Purpose: read a page of a member's own statuses, whole.
-- KEYS: 1 = keys.profile  2 = keys.status_prefix
-- ARGV: 1 = upper bound: '+inf' or '(id'  2 = statuses wanted
-- Returns: {id, text, entities, lang, lat, long, place, likes} each, newest first
-- Writes: nothing
local found = {}
for index, id in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[1], '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2])) do
  local fields = redis.call('HMGET', KEYS[2] .. id, 'text', 'entities', 'lang', 'lat', 'long', 'place', 'likes')
  found[index] = {id, unpack(fields, 1, 7)}
end
return found
