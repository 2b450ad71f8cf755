-- Add an item to a collection of a member. Doing it again changes nothing.
--
-- KEYS     member   accounts.user(uid)
--          items    zset: item -> unix ms, each higher than the one before
-- ARGV     uid
--          item
--          limit        most items
--          full         the refusal if there are so many
--          added        the event's type
--          names_item   1 if the event has the item as `id`, or 0
-- RETURNS  1 if added, 0 if it was there
-- ERRORS   NOMEMBER, SUSPENDED, OVERLOADED, and what `full` says
-- WRITES   items
-- EMITS    boosts_hidden, reply_hidden, tags_changed, bookmarked
-- include core/store/lua/includes/scores.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if redis.call('ZSCORE', items, item) then return 0 end
if redis.call('ZCARD', items) >= tonumber(limit) then
  return redis.error_reply(full .. ' ' .. limit)
end
refusal = behind()
if refusal then return refusal end

redis.call('ZADD', items, next_score(items), item)
emit(added, 'uid', uid, unpack(names_item == '1' and {'id', item} or {}))
return 1
