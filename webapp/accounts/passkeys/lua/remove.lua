-- Remove a passkey of a member.
--
-- KEYS     passkeys           accounts.passkeys.passkeys(uid)
-- ARGV     id
--          agent?   `Device.note`
-- RETURNS  1, or 0 if the member has no such passkey

if redis.call('HDEL', passkeys, id) == 0 then return 0 end
note('passkey_removed', agent)
return 1
