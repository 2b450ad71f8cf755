-- Emit the counts of a status that changed a while ago. Several changes become one event.
--
-- KEYS     changed_counts  zset: status id -> unix ms
--          status
--          outbox          stream
-- ARGV     id
--          partition
--          outbox_max      events
--          request_id
-- RETURNS  1, or 0 if it is not due, is gone or is not for everybody
-- ERRORS   OVERLOADED
-- WRITES   changed_counts, outbox
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua

local due = redis.call('ZSCORE', changed_counts, id)
if not due or tonumber(due) > now_ms() then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', changed_counts, id)
local names = {'author', 'visibility', 'replies', 'boosts', 'quotes', 'likes'}
local values = redis.call('HMGET', status, unpack(names))
if not values[1] or is_restricted(values[2]) then return 0 end
local event = {'type', 'counted', 'rid', request_id, 'id', id}
for index, name in ipairs(names) do
  if values[index] then add(event, name, values[index]) end
end
emit(outbox, partition, unpack(event))
return 1
