-- Remove one of a member's devices.
--
-- KEYS     push_devices         zset: sha -> unix ms
--          push_device_prefix   of the partition's devices
--          due_pushes           zset: uid:sha:lane -> unix ms
-- ARGV     uid
--          sha
-- RETURNS  1, or 0 if there was none
-- WRITES   push_devices, due_pushes, and devices below the prefix
-- include notifications/push/lua/includes/devices.lua

return remove_device(push_devices, push_device_prefix, due_pushes, uid, sha)
