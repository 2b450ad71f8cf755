-- Purpose: make the account of a claimed name. A claim over 30 s old is refused, so that it cannot have been taken over.
-- KEYS: 1 = keys.user  2 = keys.password  3 = keys.active  4 = keys.outbox
-- ARGV: 1 = uid  2 = login  3 = display name  4 = argon2id hash  5 = claimed at, unix ms  6 = partition  7 = OUTBOX_MAX  8 = rid
--       9 = the uid of a bot's owner, who alone speaks for it: it has no password; '' for a person
-- Returns: joined, unix ms   Errors: STALE, OVERLOADED   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
local user, password, active, outbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local uid, login, name, hash, claimed, partition, max, rid, owner = unpack(ARGV)
local CLAIM_MS = 30000
local now = now_ms()
if now - tonumber(claimed) > CLAIM_MS or redis.call('EXISTS', user) == 1 then
  return redis.error_reply('STALE the claim is too old')
end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('HSET', user, 'login', login, 'name', name, 'joined', id_text(now))
if owner ~= '' then redis.call('HSET', user, 'bot', owner) else redis.call('SET', password, hash) end
redis.call('ZADD', active, math.floor(now / 1000), uid)
emit(outbox, partition, 'type', 'joined', 'rid', rid, 'uid', uid)
return id_text(now)
