-- Answer a request to join a closed group, as an owner.
--
-- KEYS     members       statuses.visibility.group_members(gid)
--          requests      community.groups.group_requests(gid)
-- ARGV     uid
--          target        who asked
--          accept        1, or '' to refuse
--          members_max   config.group_members_max
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, NOGROUPREQUEST, GROUPFULL
-- EMITS    group_members, group_invited

local refusal = require_group_owner(owners, uid)
if refusal then return refusal end
if not redis.call('ZSCORE', requests, target) then return refuse('NOGROUPREQUEST', group) end
if accept ~= '' then
  refusal = require_room(members, members_max) or behind()
  if refusal then return refusal end
  redis.call('ZADD', members, id_text(now_ms()), target)
  end_invitation(target)
  emit('group_members', 'group', gid, 'uids', target)
end
redis.call('ZREM', requests, target)
return 1
