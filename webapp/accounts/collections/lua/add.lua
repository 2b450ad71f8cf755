-- Add an item to a collection of a member. Doing it again changes nothing.
--
-- KEYS     items    zset: item -> unix ms, each higher than the one before
--          within?  zset: the only items that may be added
-- ARGV     item
--          limit        most items
--          full         the refusal if there are so many; '' to remove the oldest
--          outside      the refusal of an item that is not in `within`
--          added        the event's type, '' for none
--          names_item   1 if the event has the item as `id`, or 0
-- RETURNS  1 if added, 0 if it was there
-- ERRORS   NOMEMBER, SUSPENDED, and what `full` and `outside` say
-- WRITES   items
-- EMITS    boosts_hidden, reply_hidden, tags_changed, bookmarked, subscribed, profile_edited
-- IDEMPOTENT

require_active()
if redis.call('ZSCORE', items, item) then return 0 end
if within and not redis.call('ZSCORE', within, item) then refuse(outside) end
local is_full = redis.call('ZCARD', items) >= tonumber(limit)
if is_full and full ~= '' then refuse(full, limit) end
if added ~= '' then refuse_when_behind() end

redis.call('ZADD', items, next_score(items), item)
if is_full then redis.call('ZPOPMIN', items) end
if added ~= '' then emit(added, 'uid', uid, unpack(names_item == '1' and {'id', item} or {})) end
return 1
