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

require_group_owner(owners, uid)
if not redis.call('ZSCORE', requests, target) then refuse('NOGROUPREQUEST', group) end
if accept ~= '' then
  require_room(members, members_max)
  refuse_when_behind()
  redis.call('ZADD', members, next_score(members), target)
  end_invitation(target)
  emit('group_members', 'group', gid, 'uids', target, 'accepted', 1)
end
redis.call('ZREM', requests, target)
return 1
