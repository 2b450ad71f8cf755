-- Add a member to some lists and remove them from others: all of it, or nothing if one is refused.
--
-- KEYS     blocks           following.blocks(uid)
--          blockers         following.blockers(uid)
-- ARGV     target           the member's uid
--          limit            config.list_members_max   most members of a list
--          memberships...   for each list its number, and 1 to add them or 0 to remove them
-- RETURNS  the number of lists that changed
-- ERRORS   NOMEMBER, SUSPENDED, NOLIST, CANNOTLIST, LISTFULL
-- WRITES   members_prefix, active, excluded
-- EMITS    list_member_added, list_member_removed

require_active()
local blocked = redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target)

local changes = {}
for i = 1, #memberships, 2 do
  local number, add = memberships[i], memberships[i + 1] == '1'
  local name = uid .. ':' .. number
  local members = members_prefix .. name
  local is_member = redis.call('ZSCORE', members, target) and true or false
  if add and redis.call('EXISTS', list_prefix .. name) == 0 then refuse('NOLIST', number) end
  if add and not is_member then
    if blocked then refuse('CANNOTLIST', target) end
    if redis.call('ZCARD', members) >= tonumber(limit) then refuse('LISTFULL', limit) end
  end
  if add ~= is_member then
    changes[#changes + 1] = {name = name, number = number, members = members, add = add}
  end
end
if #changes == 0 then return 0 end
refuse_when_behind()

for _, change in ipairs(changes) do
  if change.add then
    local newest = redis.call('ZRANGE', change.members, -1, -1, 'WITHSCORES')
    local score = id_text(math.max(now_us(), tonumber(newest[2] or 0) + 1))
    redis.call('ZADD', change.members, score, target)
  else
    redis.call('ZREM', change.members, target)
  end
  touch_list(change.name)
  local type = change.add and 'list_member_added' or 'list_member_removed'
  emit(type, 'uid', uid, 'list', change.number, 'target', target,
    'private', redis.call('HGET', list_prefix .. change.name, 'private') or '')
end
store_excluded()
return #changes
