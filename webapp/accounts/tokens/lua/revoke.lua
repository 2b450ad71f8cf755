-- Purpose: revoke an access token, or an app; whoever streams with it is told.
-- KEYS: 1 = keys.token or keys.app  2 = keys.tokens or keys.apps  3 = keys.outbox
-- ARGV: 1 = uid  2 = sha, or the app's id  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when it is not one of this member's   Writes: all keys
-- include core/events/lua/includes/emit.lua
local token, tokens, outbox = unpack(KEYS)
local uid, sha, partition, max, rid = unpack(ARGV)
if redis.call('ZREM', tokens, sha) == 0 then return 0 end
redis.call('DEL', token)
-- Revoking works however many events wait; a stream that is not told looks again by itself.
if not behind(outbox, max) then emit(outbox, partition, 'type', 'signed_out', 'rid', rid, 'uid', uid) end
return 1
