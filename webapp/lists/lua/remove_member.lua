-- Purpose: take a member off all lists of another, for a block or because the account is deleted; tell the worker.
-- KEYS: 1 = keys.fences  2 = keys.lists  3 = keys.list_prefix  4 = keys.list_members_prefix  5 = keys.active_lists
--       6 = keys.aside  7 = keys.outbox   (of the lists' owner)
-- ARGV: 1 = source  2 = token  3 = uid of the owner  4 = uid of the member  5 = partition  6 = rid
-- Returns: off how many lists   Errors: LEASELOST   Writes: KEYS 1, 5 to 7, and members below KEYS[4]
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include lists/lua/includes/touch_list.lua
local fences, lists, list_of, members_of, active, aside, outbox = unpack(KEYS)
local source, token, uid, target, partition, rid = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local taken = 0
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
  local name = uid .. ':' .. number
  if redis.call('ZREM', members_of .. name, target) == 1 then
    taken = taken + 1
    stir(active, name)
    -- However many events wait: refused here, the event that asks for it might wait for itself.
    emit(outbox, partition, 'type', 'unlisted', 'rid', rid, 'uid', uid, 'list', number, 'target', target)
  end
end
if taken > 0 then set_aside(uid, aside, lists, list_of, members_of) end
return taken
