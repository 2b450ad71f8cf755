-- Emit the counts of a status that changed a while ago. Several changes become one event.
--
-- KEYS     changed_counts   statuses.live_counts.changed_counts(partition)
--          status           statuses.status(id)
-- RETURNS  1, or 0 if it is not due, is gone or is not for everybody
-- WRITES   changed_counts
-- EMITS    counted
-- include statuses/visibility/lua/includes/restricted_lists.lua

local due = redis.call('ZSCORE', changed_counts, id)
if not due or tonumber(due) > now_ms() then return 0 end
refuse_when_behind()

redis.call('ZREM', changed_counts, id)
local names = {'author', 'visibility', 'replies', 'boosts', 'quotes', 'likes'}
local values = redis.call('HMGET', status, unpack(names))
if not values[1] or is_restricted(values[2]) then return 0 end
local event = {'id', id}
for index, name in ipairs(names) do
  if values[index] then add(event, name, values[index]) end
end
emit('counted', unpack(event))
return 1
