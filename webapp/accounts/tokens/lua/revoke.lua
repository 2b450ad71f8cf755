-- Revoke an access token or an app, and tell open streams.
--
-- KEYS     outbox             core.events.outbox(uid)
--          entry              hash: the token or the app
--          list               zset of the member's tokens or apps: id -> when it was made
-- ARGV     id    the token's sha or the app's id
--          agent?   `Device.note`
-- RETURNS  1, or 0 if the member has no such token or app
-- WRITES   entry, list
-- EMITS    signed_out

if redis.call('ZREM', list, id) == 0 then return 0 end
redis.call('DEL', entry)
note('revoked', agent)
-- A full outbox must not keep anybody from revoking. Open streams check again by themselves.
if not is_behind() then
  emit('signed_out', 'uid', uid)
end
return 1
