-- Revoke a member's access tokens that were created up to a time, and tell open streams.
--
-- KEYS     tokens         accounts.tokens.tokens(uid)
--          token_prefix   accounts.tokens.token(uid, '')
-- ARGV     created_until   unix seconds: those of the whole second
-- RETURNS  how many were revoked
-- EMITS    signed_out

local shas = redis.call('ZRANGE', tokens, '-inf', '(' .. created_until + 1, 'BYSCORE')
for _, sha in ipairs(shas) do
  redis.call('DEL', token_prefix .. sha)
  redis.call('ZREM', tokens, sha)
end
-- A full outbox must not keep anybody from revoking. Open streams check again by themselves.
if #shas > 0 and not is_behind() then
  emit('signed_out', 'uid', uid)
end
return #shas
