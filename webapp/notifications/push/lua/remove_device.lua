-- Remove one of a member's devices.
--
-- KEYS     push_devices         notifications.push.push_devices(uid)
--          push_device_prefix   notifications.push.push_device.prefix(uid)
--          due_pushes           notifications.push.due_pushes(uid)
-- ARGV     sha
-- RETURNS  1, or 0 if there was none

return remove_device(push_devices, push_device_prefix, due_pushes, uid, sha)
