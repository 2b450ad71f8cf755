-- Note how a push went, and when the device may get the next one.
--
-- KEYS     due_pushes           notifications.push.due_pushes(uid)
--          notifications        notifications.notifications(uid)
--          push_devices         notifications.push.push_devices(uid)
--          push_device          notifications.push.push_device(uid, sha)
--          push_device_prefix   notifications.push.push_device.prefix(uid)
-- ARGV     lane
--          lease_expires   as claimed
--          outcome         done, again, refused, or gone for a subscription that has ended
--          seen            unix us of the newest notification that it had
--          sent            how many messages
--          hour_max        most messages an hour, those that fail too
--          refusals_max    in a row; then the device is removed
--          delay           ms until the next try, or the next messages
--          failure         '' for none
-- RETURNS  1, or 0 if somebody else has claimed it
-- WRITES   due_pushes, push_devices, push_device

local HOUR_MS = 3600000
local entry, field = uid .. ':' .. sha .. ':' .. lane, lane .. ':'
if tonumber(redis.call('ZSCORE', due_pushes, entry)) ~= tonumber(lease_expires) then return 0 end
local now, count = now_ms(), tonumber(sent)
if count > 0 then redis.call('HSET', push_device, 'delivered', now, 'refusals', 0) end
local refusals = outcome == 'refused' and redis.call('HINCRBY', push_device, 'refusals', 1) or 0
if outcome == 'gone' or refusals >= tonumber(refusals_max) then
  return remove_device(push_devices, push_device_prefix, due_pushes, uid, sha)
end

if failure ~= '' then count = count + 1 end -- the message that failed
local hour = math.floor(now / HOUR_MS)
local next_at = now + tonumber(delay)
if count > 0 then
  local noted, before = unpack(redis.call('HMGET', push_device, field .. 'hour', field .. 'sent'))
  if tonumber(noted) == hour then count = count + tonumber(before) end
  redis.call('HSET', push_device, field .. 'hour', hour, field .. 'sent', count)
  if count >= tonumber(hour_max) then next_at = math.max(next_at, (hour + 1) * HOUR_MS) end
  if failure == '' then redis.call('HDEL', push_device, 'error') end
end
if failure ~= '' then redis.call('HSET', push_device, 'error', failure) end
redis.call('HSET', push_device, field .. 'until', id_text(next_at), field .. 'seen', seen)
if outcome == 'again' then
  redis.call('HINCRBY', push_device, field .. 'tries', 1)
  return redis.call('ZADD', due_pushes, 'XX', 'CH', id_text(next_at), entry)
end

redis.call('HDEL', push_device, field .. 'tries')
local latest = id_text((now + AHEAD_MS) * 1000) -- those that a wrong clock has dated wait
local newest = redis.call('ZRANGE', notifications, latest, '-inf', 'BYSCORE', 'REV',
  'LIMIT', 0, 1, 'WITHSCORES')[2]
if lane ~= 'test' and newest and tonumber(newest) > tonumber(seen) then
  return redis.call('ZADD', due_pushes, 'XX', 'CH', id_text(next_at), entry)
end
return redis.call('ZREM', due_pushes, entry)
