-- Remove a member from all lists of another, after a block or when the account is deleted.
--
-- ARGV     target   the member
-- RETURNS  the number of lists the member was on
-- WRITES   members_prefix, active, excluded
-- EMITS    list_member_removed
-- FENCED

local removed = 0
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
  local name = uid .. ':' .. number
  if redis.call('ZREM', members_prefix .. name, target) == 1 then
    removed = removed + 1
    touch_list(name)
    -- The outbox may be full: if this were refused, the event that causes it might wait for itself.
    local private = redis.call('HGET', list_prefix .. name, 'private') or ''
    emit('list_member_removed', 'uid', uid, 'list', number, 'target', target, 'private', private)
  end
end
if removed > 0 then store_excluded() end
return removed
