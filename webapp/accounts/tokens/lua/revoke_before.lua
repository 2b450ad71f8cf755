-- Revoke a member's access tokens that were created up to a time, and tell open streams.
--
-- KEYS     tokens        zset: sha -> unix seconds
--          token_prefix  of the member's tokens
--          outbox        stream
-- ARGV     uid
--          created_until  unix seconds
--          partition
--          outbox_max
--          request_id
-- RETURNS  how many were revoked
-- WRITES   tokens, tokens below the prefix, outbox
-- include core/events/lua/includes/emit.lua

local shas = redis.call('ZRANGE', tokens, '-inf', created_until, 'BYSCORE')
for _, sha in ipairs(shas) do
  redis.call('DEL', token_prefix .. sha)
  redis.call('ZREM', tokens, sha)
end
-- A full outbox must not keep anybody from revoking. Open streams check again by themselves.
if #shas > 0 and not behind(outbox, outbox_max) then
  emit(outbox, partition, 'type', 'signed_out', 'rid', request_id, 'uid', uid)
end
return #shas
