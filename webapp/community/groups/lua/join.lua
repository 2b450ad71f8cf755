-- Join a group, or ask to join a closed one. An invitation by name or by a link leads into a closed
-- one at once. Doing it again changes nothing, and uses up no link.
--
-- KEYS     members       statuses.visibility.group_members(gid)
--          requests      community.groups.group_requests(gid)
--          banned        community.groups.group_banned(gid)
-- ARGV     uid
--          sha            SHA-256 of a link's secret, or ''
--          members_max    config.group_members_max
--          requests_max   config.group_requests_max
-- RETURNS  1 for a member, 0 if an owner must answer first
-- ERRORS   NOGROUP, GROUPBANNED, GROUPINVITEBAD, GROUPFULL, GROUPREQUESTSFULL
-- WRITES   members, requests
-- EMITS    group_members, group_invited

require_existing_group()
if redis.call('ZSCORE', members, uid) then return 1 end
if redis.call('ZSCORE', banned, uid) then refuse('GROUPBANNED', group) end
local name = sha ~= '' and sha or '@' .. uid
local uses_left, expires, inviter = parse_invite(redis.call('HGET', invitations, name))
local is_invited = uses_left and uses_left > 0 and expires > now_ms()
  and may_invite(members, inviter)
if sha ~= '' and not is_invited then refuse('GROUPINVITEBAD', group) end
if redis.call('HGET', group, 'kind') == 'closed' and not is_invited then
  if redis.call('ZSCORE', requests, uid) then return 0 end
  if redis.call('ZCARD', requests) >= tonumber(requests_max) then
    refuse('GROUPREQUESTSFULL', group)
  end
  redis.call('ZADD', requests, id_text(now_ms()), uid)
  return 0
end
require_room(members, members_max)
refuse_when_behind()
if sha ~= '' then
  redis.call('HSET', invitations, sha, uses_left - 1 .. ' ' .. id_text(expires) .. ' ' .. inviter)
end
end_invitation(uid)
redis.call('ZREM', requests, uid)
redis.call('ZADD', members, next_score(members), uid)
emit('group_members', 'group', gid, 'uids', uid)
return 1
