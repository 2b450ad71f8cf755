-- Make a member an owner of a group and its chat, as an owner; or stop being one.
--
-- KEYS     members   statuses.visibility.group_members(gid)
-- ARGV     gid
--          uid
--          target
--          owner        1, or '' to stop: only for oneself
--          owners_max   config.group_owners_max
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, GROUPOWNER, GROUPLASTOWNER, NOTINGROUP, GROUPOWNERSFULL
-- WRITES   owners, chats

local refusal = require_group_owner(owners, uid)
if refusal then return refusal end
if owner == '' then
  refusal = target ~= uid and refuse('GROUPOWNER', group) or require_other_owner(owners, uid)
  if refusal then return refusal end
  redis.call('SREM', owners, uid)
  match_owner(chat_of(), uid)
  return 1
end
if not redis.call('ZSCORE', members, target) then return refuse('NOTINGROUP', group) end
if redis.call('SISMEMBER', owners, target) == 1 then return 1 end
if redis.call('SCARD', owners) >= tonumber(owners_max) then
  return refuse('GROUPOWNERSFULL', group)
end
redis.call('SADD', owners, target)
match_owner(chat_of(), target)
return 1
