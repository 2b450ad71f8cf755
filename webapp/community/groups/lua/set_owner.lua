-- Make a member an owner of a group and its chat, as an owner; or stop being one.
--
-- KEYS     members   statuses.visibility.group_members(gid)
-- ARGV     uid
--          target
--          owner        1, or '' to stop: only for oneself
--          owners_max   config.group_owners_max
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, GROUPOWNER, GROUPLASTOWNER, NOTINGROUP, GROUPOWNERSFULL
-- WRITES   owners, chats

require_group_owner(owners, uid)
if owner == '' then
  if target ~= uid then refuse('GROUPOWNER', group) end
  require_other_owner(owners, uid)
  redis.call('SREM', owners, uid)
  match_owner(chat_of(), uid)
  return 1
end
if not redis.call('ZSCORE', members, target) then refuse('NOTINGROUP', group) end
if redis.call('SISMEMBER', owners, target) == 1 then return 1 end
if redis.call('SCARD', owners) >= tonumber(owners_max) then refuse('GROUPOWNERSFULL', group) end
redis.call('SADD', owners, target)
match_owner(chat_of(), target)
return 1
