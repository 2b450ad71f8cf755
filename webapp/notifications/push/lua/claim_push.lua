-- Claim devices of a partition that have something to get. A claim lasts until its lease runs out.
-- A device whose session, token or member is gone is removed.
--
-- KEYS     due_pushes            notifications.push.due_pushes(partition)
--          user_prefix           accounts.user.prefix(partition)
--          push_devices_prefix   notifications.push.push_devices.prefix(partition)
--          push_device_prefix    notifications.push.push_device.prefix(partition)
--          session_prefix        accounts.session(partition, '')
--          token_prefix          accounts.tokens.token(partition, '')
-- ARGV     limit        most claims
--          lease        ms
--          skipped...   uids of members to pass over
-- RETURNS  {uid, sha, lane, when the lease runs out, sealed subscription, site, locale, unix us of
--          the newest notification that it had, failed tries, alerts and policy of an app}…
-- WRITES   due_pushes, push_devices_prefix, push_device_prefix

limit = tonumber(limit)
local now = now_ms()
local lease_expires = id_text(now + tonumber(lease))
local is_skipped = {}
for _, uid in ipairs(skipped) do is_skipped[uid] = true end

-- Return a claimed device, nil if it is gone.
local function claim(entry, uid, sha, lane)
  local devices, device = push_devices_prefix .. uid, push_device_prefix .. uid .. ':' .. sha
  local login, suspended = unpack(redis.call('HMGET', user_prefix .. uid, 'login', 'suspended'))
  local subscription, site, locale, seen, tries, alerts, policy = unpack(redis.call('HMGET', device,
    'subscription', 'site', 'locale', lane .. ':seen', lane .. ':tries', 'alerts', 'policy'))
  local lasts = is_signed_in(session_prefix, token_prefix, sha, uid, login, suspended)
  if not subscription or not lasts then
    remove_device(devices, push_device_prefix, due_pushes, uid, sha)
    return nil
  end
  redis.call('ZADD', due_pushes, lease_expires, entry)
  redis.call('HSET', device, lane .. ':until', lease_expires)
  return {uid, sha, lane, lease_expires, subscription, site, locale, seen or '0', tries or '0',
    alerts, policy}
end

local due = redis.call('ZRANGE', due_pushes, '-inf', id_text(now), 'BYSCORE', 'LIMIT', 0, 500)
local claimed = {}
for _, entry in ipairs(due) do
  local uid, sha, lane = string.match(entry, '^(%d+):(.*):(%a+)$')
  if #claimed < limit and not is_skipped[uid] then
    claimed[#claimed + 1] = claim(entry, uid, sha, lane)
  end
end
return claimed
