-- Note that a passkey has signed, and return its member's epoch. A device counts its signatures: a
-- count that does not rise means that somebody has a copy of the passkey. Some devices send 0.
--
-- KEYS     passkeys           accounts.passkeys.passkeys(uid)
-- ARGV     id
--          count    of signatures, as the device says
--          agent?   `Device.note`
-- RETURNS  {'right', epoch}, {'gone', ''} for no such passkey, or {'copied', ''}
-- ERRORS   NOMEMBER, SUSPENDED

local packed = redis.call('HGET', passkeys, id)
if not packed then return { 'gone', '' } end
require_active()
local passkey, signed = cjson.decode(packed), tonumber(count)
if (signed > 0 or passkey.count > 0) and signed <= passkey.count then
  note('passkey_copied', agent)
  return { 'copied', '' }
end
passkey.count, passkey.used = signed, math.floor(now_ms() / 1000)
redis.call('HSET', passkeys, id, cjson.encode(passkey))
return { 'right', redis.call('HGET', member, 'epoch') or '0' }
