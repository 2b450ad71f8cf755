-- Take, renew or give up a partition's lease for one group. The token grows with each new owner.
--
-- KEYS     lease   core.events.lease(partition, group)
-- ARGV     owner      host:pid
--          duration   ms, 0 to give the lease up
-- RETURNS  the fencing token while the lease is the owner's, otherwise 0

duration = tonumber(duration)
local now = now_ms()
local current_owner, token, expires = unpack(redis.call('HMGET', lease, 'owner', 'token', 'until'))
token = tonumber(token or 0)

if current_owner ~= owner then
  local is_held = expires and tonumber(expires) > now
  if duration == 0 or is_held then return 0 end
  token = token + 1
end

local new_owner = duration > 0 and owner or ''
redis.call('HSET', lease, 'owner', new_owner, 'token', token, 'until', id_text(now + duration))
return duration > 0 and token or 0
