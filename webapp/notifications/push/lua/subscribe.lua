-- Let a session's browser, or the app of a token, get its member's notifications from now on. Its
-- earlier subscription is replaced. Above the limit the oldest device goes, and devices without a
-- session or token go too.
--
-- KEYS     push_devices         notifications.push.push_devices(uid)
--          push_device          notifications.push.push_device(uid, sha)
--          push_device_prefix   notifications.push.push_device.prefix(uid)
--          due_pushes           notifications.push.due_pushes(uid)
--          session_prefix       accounts.session(uid, '')
--          token_prefix         accounts.tokens.token(uid, '')
-- ARGV     sha            of the session or the token
--          subscription   sealed
--          site           address of the pages
--          locale
--          limit          config.push_devices_max
--          renewed        1 to replace a subscription only
--          choices...     an app's further fields of the device, names and values in turn
-- RETURNS  1, or 0 if there is nothing to replace
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED
-- WRITES   push_devices, push_device, push_device_prefix, due_pushes

local now = id_text(now_ms())
require_active()
if not is_signed_in(session_prefix, token_prefix, sha, uid, true) then
  refuse('CHANGED', 'the session has ended')
end
if renewed == '1' then
  if redis.call('EXISTS', push_device) == 0 then return 0 end
  unqueue(due_pushes, uid, sha)
  redis.call('HSET', push_device, 'subscription', subscription, 'locale', locale)
  redis.call('HDEL', push_device, 'error', 'refusals', 'prompt:tries', 'gathered:tries')
  for _, lane in ipairs({'prompt', 'gathered'}) do -- those that the old one may lack
    redis.call('ZADD', due_pushes, now, uid .. ':' .. sha .. ':' .. lane)
  end
  return 1
end

remove_device(push_devices, push_device_prefix, due_pushes, uid, sha)
for _, other in ipairs(redis.call('ZRANGE', push_devices, 0, -1)) do
  if not is_signed_in(session_prefix, token_prefix, other, uid, true) then
    remove_device(push_devices, push_device_prefix, due_pushes, uid, other)
  end
end
local excess = redis.call('ZCARD', push_devices) - tonumber(limit) + 1
local oldest = excess > 0 and redis.call('ZRANGE', push_devices, 0, excess - 1) or {}
for _, other in ipairs(oldest) do
  remove_device(push_devices, push_device_prefix, due_pushes, uid, other)
end
local seen = id_text(now_us())
redis.call('HSET', push_device, 'subscription', subscription, 'site', site, 'locale', locale,
  'added', now, 'prompt:seen', seen, 'gathered:seen', seen, unpack(choices))
return redis.call('ZADD', push_devices, next_score(push_devices), sha)
