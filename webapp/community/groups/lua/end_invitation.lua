-- End an invitation to a group: one's own, any as an owner, or one that was meant for oneself.
--
-- ARGV     uid
--          target   `@uid` of a member, or the SHA-256 of a link's secret
-- RETURNS  1, or 0 if there is none
-- ERRORS   NOGROUP, ONLYGROUPOWNERS
-- WRITES   invitations
-- EMITS    group_invited

require_existing_group()
refuse_when_behind()
local _, _, creator = parse_invite(redis.call('HGET', invitations, target))
if not creator then return 0 end
local is_owner = redis.call('SISMEMBER', owners, uid) == 1
if creator ~= uid and target ~= '@' .. uid and not is_owner then
  refuse('ONLYGROUPOWNERS', group)
end
local invited = string.match(target, '^@(%d+)$')
if invited then
  end_invitation(invited)
else
  redis.call('HDEL', invitations, target)
end
return 1
