-- Store a passkey of a member. The session has used the account's first factor.
--
-- KEYS     passkeys           accounts.passkeys.passkeys(uid)
--          session            accounts.session(uid, session_sha)
-- ARGV     id
--          packed   JSON: name, key, count, created, used
--          agent?   `Device.note`
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED, PASSKEYSFULL

local PASSKEYS_MAX = 10
require_active()
if redis.call('EXISTS', session) == 0 then refuse('CHANGED', 'the session has ended') end
if redis.call('HLEN', passkeys) >= PASSKEYS_MAX then refuse('PASSKEYSFULL', PASSKEYS_MAX) end
local is_first = redis.call('EXISTS', passkeys) == 0
  and redis.call('HEXISTS', member, 'second_step') == 0
if redis.call('HSETNX', passkeys, id, packed) == 0 then
  refuse('CHANGED', 'this passkey is stored already')
end
if is_first then redis.call('HSET', session, 'factor', 1) end
note('passkey_added', agent)
return 1
