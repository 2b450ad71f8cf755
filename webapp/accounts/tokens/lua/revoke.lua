-- Revoke an access token or an app, and tell open streams.
--
-- KEYS     entry       hash: the token or the app
--          list        zset of the member's tokens or apps: id -> unix seconds
--          outbox      stream
-- ARGV     uid
--          id          the token's sha or the app's id
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if the member has no such token or app
-- WRITES   entry, list, outbox
-- include core/events/lua/includes/emit.lua

if redis.call('ZREM', list, id) == 0 then return 0 end
redis.call('DEL', entry)
-- A full outbox must not keep anybody from revoking. Open streams check again by themselves.
if not behind(outbox, outbox_max) then
  emit(outbox, partition, 'type', 'signed_out', 'rid', request_id, 'uid', uid)
end
return 1
