-- Purpose: hold a partition for one group: take it when nobody does, keep it when it is ours, give it up.
-- KEYS[1] = keys.lease   ARGV: 1 = owner  2 = life, ms; 0 gives it up
-- Returns: the fencing token while it is ours, otherwise 0   Writes: KEYS[1]
-- include core/store/lua/includes/ids.lua
local lease, owner, life = KEYS[1], ARGV[1], tonumber(ARGV[2])
local now = now_ms()
local held = redis.call('HMGET', lease, 'owner', 'token', 'until')
local token = tonumber(held[2] or 0)
if held[1] ~= owner then
  if life == 0 or (held[3] and tonumber(held[3]) > now) then return 0 end
  token = token + 1
end
redis.call('HSET', lease, 'owner', life > 0 and owner or '', 'token', token, 'until', id_text(now + life))
return life > 0 and token or 0
