-- Purpose: read a page of a member's own statuses, whole.
-- KEYS: 1 = keys.profile  2 = keys.status_prefix  3 = keys.likes_prefix
-- ARGV: 1 = upper bound: '+inf' or '(id'  2 = statuses wanted  3 = the reader's uid, '' for nobody's
-- Returns: {id, text, entities, lang, lat, long, place, likes, 1 if the reader's is counted among them} each, newest first
-- Writes: nothing
local found = {}
for index, id in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[1], '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2])) do
  local fields = redis.call('HMGET', KEYS[2] .. id, 'text', 'entities', 'lang', 'lat', 'long', 'place', 'likes')
  local counted = fields[7] and ARGV[3] ~= '' and redis.call('ZSCORE', KEYS[3] .. id, ARGV[3])
  fields[8] = counted and 1 or 0
  found[index] = {id, unpack(fields, 1, 8)}
end
return found
