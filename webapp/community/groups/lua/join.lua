-- Join a group, or ask to join a closed one. Doing it again changes nothing.
--
-- KEYS     group      statuses.visibility.group(gid)
--          members    statuses.visibility.group_members(gid)
--          requests   community.groups.group_requests(gid)
--          banned     community.groups.group_banned(gid)
-- ARGV     gid
--          uid
--          members_max    GROUP_MEMBERS_MAX
--          requests_max   GROUP_REQUESTS_MAX
-- RETURNS  1 for a member, 0 if an owner must answer first
-- ERRORS   NOGROUP, GROUPBANNED, GROUPFULL, GROUPREQUESTSFULL, OVERLOADED
-- WRITES   members, requests
-- EMITS    group_members
-- include core/store/lua/includes/ids.lua
-- include community/groups/lua/includes/group.lua

local refusal = require_group(group)
if refusal then return refusal end
if redis.call('ZSCORE', members, uid) then return 1 end
if redis.call('ZSCORE', banned, uid) then return refuse('GROUPBANNED', group) end
if redis.call('HGET', group, 'kind') == 'closed' then
  if redis.call('ZSCORE', requests, uid) then return 0 end
  if redis.call('ZCARD', requests) >= tonumber(requests_max) then
    return refuse('GROUPREQUESTSFULL', group)
  end
  redis.call('ZADD', requests, id_text(now_ms()), uid)
  return 0
end
refusal = require_room(group, members, members_max) or behind()
if refusal then return refusal end
redis.call('ZADD', members, id_text(now_ms()), uid)
emit('group_members', 'group', gid, 'uids', uid)
return 1
