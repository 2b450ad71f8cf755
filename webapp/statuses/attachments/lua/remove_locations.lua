-- Remove the locations of a member's next statuses. After the last ones, emit `scrubbed`.
--
-- KEYS     list           zset: one of the member's lists of statuses
--          status_prefix  prefix of the member's statuses
--          outbox         stream
-- ARGV     uid
--          bound          '-inf' or '(id'
--          limit          statuses
--          is_restricted  1 for a list of restricted statuses: no event
--          partition
--          outbox_max     events
--          request_id
-- RETURNS  the last id read, '' if there are no more
-- ERRORS   OVERLOADED
-- WRITES   outbox, statuses
-- include core/events/lua/includes/emit.lua

local refusal = behind(outbox, outbox_max)
if refusal then return refusal end
local ids = {}
for _, entry in ipairs(redis.call('ZRANGE', list, bound, '+inf', 'BYSCORE', 'LIMIT', 0, limit)) do
  local id = string.match(entry, '^%d+')
  ids[#ids + 1] = id
  redis.call('HDEL', status_prefix .. id, 'lat', 'long', 'place')
end
if #ids == tonumber(limit) then return ids[#ids] end

local newest = string.match(redis.call('ZRANGE', list, -1, -1)[1] or '', '^%d+')
if newest and is_restricted ~= '1' then
  emit(outbox, partition, 'type', 'scrubbed', 'rid', request_id, 'uid', uid, 'up_to', newest)
end
return ''
