-- Purpose: put a member on some of one's lists, take them off others, and tell the worker. The scores of one list are unique.
-- KEYS: 1 = keys.user  2 = keys.lists  3 = keys.list_prefix  4 = keys.list_members_prefix  5 = keys.active_lists
--       6 = keys.aside  7 = keys.outbox  8 = keys.blocks  9 = keys.blockers   (of their owner)
-- ARGV: 1 = uid  2 = uid of the member  3 = LIST_MEMBERS_MAX  4 = partition  5 = OUTBOX_MAX  6 = rid; then the numbers of
--       lists, each with 1 to put them on it, 0 to take them off
-- Returns: on how many lists that changed something
-- Errors: NOMEMBER, SUSPENDED, NOLIST, CANNOTLIST, LISTFULL, OVERLOADED   Writes: KEYS 5 to 7, and members below KEYS[4]
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include lists/lua/includes/touch_list.lua
local user, lists, list_of, members_of, active, aside, outbox, blocks, blockers = unpack(KEYS)
local uid, target, most, partition, max, rid = unpack(ARGV, 1, 6)
local owner, changes = redis.call('HMGET', user, 'login', 'suspended'), {}
if not owner[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if owner[2] then return redis.error_reply('SUSPENDED ' .. uid) end
local blocked = redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target)
for at = 7, #ARGV, 2 do
  local name, on = uid .. ':' .. ARGV[at], ARGV[at + 1] == '1'
  local there = redis.call('ZSCORE', members_of .. name, target)
  if on and redis.call('EXISTS', list_of .. name) == 0 then return redis.error_reply('NOLIST ' .. ARGV[at]) end
  if on and not there then
    if blocked then return redis.error_reply('CANNOTLIST ' .. target) end
    if redis.call('ZCARD', members_of .. name) >= tonumber(most) then return redis.error_reply('LISTFULL ' .. most) end
  end
  if on == not there then changes[#changes + 1] = {name = name, number = ARGV[at], on = on} end
end
local refusal = #changes > 0 and behind(outbox, max)
if refusal then return refusal end
for _, change in ipairs(changes) do
  local members = members_of .. change.name
  local newest = redis.call('ZRANGE', members, -1, -1, 'WITHSCORES')
  if change.on then redis.call('ZADD', members, id_text(math.max(now_us(), tonumber(newest[2] or 0) + 1)), target) end
  if not change.on then redis.call('ZREM', members, target) end
  stir(active, change.name)
  local kind = change.on and 'listed' or 'unlisted'
  emit(outbox, partition, 'type', kind, 'rid', rid, 'uid', uid, 'list', change.number, 'target', target)
end
if #changes > 0 then set_aside(uid, aside, lists, list_of, members_of) end
return #changes
