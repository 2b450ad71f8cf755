-- Remove a member from all lists of another, after a block or when the account is deleted.
--
-- KEYS     fences           hash: the newest token of each source
--          lists            zset: number -> number
--          list_prefix      the beginning of the keys of lists in the owner's partition
--          members_prefix   the same of their members
--          active           zset: `uid:number` -> last read
--          excluded         zset: members of the owner's exclusive lists
--          outbox           stream, of the owner
-- ARGV     source
--          token
--          uid              the owner
--          target           the member
--          partition
--          request_id
-- RETURNS  the number of lists the member was on
-- ERRORS   LEASELOST
-- WRITES   fences, active, excluded, outbox, the members
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include lists/lua/includes/touch_list.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local removed = 0
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
  local name = uid .. ':' .. number
  if redis.call('ZREM', members_prefix .. name, target) == 1 then
    removed = removed + 1
    touch_list(active, name)
    -- The outbox may be full: if this were refused, the event that causes it might wait for itself.
    emit(outbox, partition, 'type', 'list_member_removed', 'rid', request_id, 'uid', uid,
      'list', number, 'target', target, 'private',
      redis.call('HGET', list_prefix .. name, 'private') or '')
  end
end
if removed > 0 then store_excluded(uid, excluded, lists, list_prefix, members_prefix) end
return removed
