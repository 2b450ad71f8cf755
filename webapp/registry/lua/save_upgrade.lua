-- Save how far an upgrade is, and take or keep the lease for all upgrades.
--
-- KEYS     upgrades   core.store.upgrades()
-- ARGV     owner      who does the slices
--          lease_ms   longer than a slice usually takes
--          name       of the upgrade
--          position   that the caller knows
--          next       the new one; the same to take the lease only
-- RETURNS  1, or 0 if the upgrade is elsewhere by now, or another owner has the lease

if (redis.call('HGET', upgrades, name) or '') ~= position then return 0 end
local now, lease = now_ms(), redis.call('HGET', upgrades, 'lease') or '- 0'
local holder, expires = string.match(lease, '^(%S+) (%d+)$')
-- A slice that took longer than its lease still counts, or two workers could repeat it for ever.
if position == next and holder ~= owner and tonumber(expires) > now then return 0 end
redis.call('HSET', upgrades, name, next, 'lease', owner .. ' ' .. id_text(now + lease_ms))
return 1
