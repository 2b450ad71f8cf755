-- Remove an item from a collection of a member.
--
-- KEYS     outbox   core.events.outbox(uid)
--          items    zset: item -> unix ms
-- ARGV     uid
--          item
--          removed      the event's type, '' for none
--          names_item   1 if the event has the item as `id`, or 0
-- RETURNS  1 if removed, 0 if it was not there
-- ERRORS   OVERLOADED
-- WRITES   items
-- EMITS    boosts_shown, reply_shown, tags_changed, unbookmarked, unsubscribed

if not redis.call('ZSCORE', items, item) then return 0 end
local refusal = behind()
if refusal then return refusal end

redis.call('ZREM', items, item)
if removed ~= '' then
  emit(removed, 'uid', uid, unpack(names_item == '1' and {'id', item} or {}))
end
return 1
