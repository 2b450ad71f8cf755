-- Return a member's values of `fields`, nil if there is no such member or it is suspended.
local function active_member(member, fields)
  local login, suspended = unpack(redis.call('HMGET', member, 'login', 'suspended'))
  if login and not suspended then return redis.call('HMGET', member, unpack(fields)) end
end
