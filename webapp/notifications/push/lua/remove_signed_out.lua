-- Remove the devices of a member whose sessions or tokens have ended.
--
-- KEYS     user                 accounts.user(uid)
--          push_devices         notifications.push.push_devices(uid)
--          push_device_prefix   notifications.push.push_device.prefix(uid)
--          due_pushes           notifications.push.due_pushes(uid)
--          session_prefix       accounts.session(uid, '')
--          token_prefix         accounts.tokens.token(uid, '')
-- RETURNS  how many were removed
-- WRITES   push_devices, push_device_prefix, due_pushes
-- FENCED

local login, suspended = unpack(redis.call('HMGET', user, 'login', 'suspended'))
local removed = 0
for _, sha in ipairs(redis.call('ZRANGE', push_devices, 0, -1)) do
  if not is_signed_in(session_prefix, token_prefix, sha, uid, login, suspended) then
    removed = removed + remove_device(push_devices, push_device_prefix, due_pushes, uid, sha)
  end
end
return removed
