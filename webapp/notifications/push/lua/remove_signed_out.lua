-- Remove the devices of a member whose sessions have ended.
--
-- KEYS     fences               hash: source -> token
--          user                 hash: the member
--          push_devices         zset: sha -> unix ms
--          push_device_prefix   of the partition's devices
--          due_pushes           zset: uid:sha:lane -> unix ms
--          session_prefix       of the partition's sessions
-- ARGV     source
--          token
--          uid
-- RETURNS  how many were removed
-- ERRORS   LEASELOST
-- WRITES   fences, push_devices, due_pushes, and devices below the prefix
-- include core/events/lua/includes/fence.lua
-- include notifications/push/lua/includes/devices.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local login, suspended = unpack(redis.call('HMGET', user, 'login', 'suspended'))
local removed = 0
for _, sha in ipairs(redis.call('ZRANGE', push_devices, 0, -1)) do
  if not is_signed_in(session_prefix, sha, uid, login, suspended) then
    removed = removed + remove_device(push_devices, push_device_prefix, due_pushes, uid, sha)
  end
end
return removed
