-- Purpose: take the places off the next statuses of a member; when none are left, tell the worker.
-- KEYS: 1 = one of keys.written  2 = keys.status_prefix  3 = keys.outbox
-- ARGV: 1 = uid  2 = lower bound: '-inf' or '(id'  3 = how many at most  4 = partition  5 = OUTBOX_MAX  6 = rid
--       7 = 1 where nobody is to hear of it: of a list that not everybody may see
-- Returns: the last id looked at, '' when there are no more   Errors: OVERLOADED   Writes: KEYS[3] and statuses below KEYS[2]
-- include core/events/lua/includes/emit.lua
local listed, statuses, outbox = unpack(KEYS)
local uid, bound, most, partition, max, rid, quiet = unpack(ARGV)
local refusal = behind(outbox, max)
if refusal then return refusal end
local ids = {}
for _, entry in ipairs(redis.call('ZRANGE', listed, bound, '+inf', 'BYSCORE', 'LIMIT', 0, most)) do
  ids[#ids + 1] = string.match(entry, '^%d+')
  redis.call('HDEL', statuses .. ids[#ids], 'lat', 'long', 'place')
end
if #ids == tonumber(most) then return ids[#ids] end
local newest = string.match(redis.call('ZRANGE', listed, -1, -1)[1] or '', '^%d+')
if newest and quiet ~= '1' then emit(outbox, partition, 'type', 'scrubbed', 'rid', rid, 'uid', uid, 'up_to', newest) end
return ''
