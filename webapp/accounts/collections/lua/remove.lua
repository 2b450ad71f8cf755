-- Remove an item from a collection of a member, and from the groups that it is in.
--
-- KEYS     outbox   core.events.outbox(uid)
--          items    zset: item -> unix ms
--          groups?         hash: number of a group -> its name
--          group_prefix?   the prefix of the groups' zsets: item -> unix ms
-- ARGV     item
--          removed      the event's type, '' for none
--          names_item   1 if the event has the item as `id`, or 0
-- RETURNS  1 if removed, 0 if it was not there
-- WRITES   items, group_prefix
-- EMITS    boosts_shown, reply_shown, tags_changed, unbookmarked, unsubscribed, profile_edited
-- IDEMPOTENT

if not redis.call('ZSCORE', items, item) then return 0 end
if removed ~= '' then refuse_when_behind() end

redis.call('ZREM', items, item)
for _, number in ipairs(groups and redis.call('HKEYS', groups) or {}) do
  redis.call('ZREM', group_prefix .. uid .. ':' .. number, item)
end
if removed ~= '' then
  emit(removed, 'uid', uid, unpack(names_item == '1' and {'id', item} or {}))
end
return 1
