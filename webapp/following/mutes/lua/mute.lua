-- Purpose: mute a member for a time, or anew for another; tell the worker, so that open streams leave them out. The ends of
-- one list are unique, so that pages can be cut by them.
-- KEYS: 1 = keys.mutes  2 = keys.hushed  3 = keys.outbox  4 = keys.user   (of who mutes)
-- ARGV: 1 = uid  2 = uid to mute  3 = for how long, seconds  4 = 1 to hide their notifications too  5 = MUTES_MAX
--       6 = partition  7 = OUTBOX_MAX  8 = rid
-- Returns: until when, unix seconds   Errors: NOMEMBER, SUSPENDED, MUTESFULL, OVERLOADED   Writes: KEYS 1 to 3
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
local mutes, hushed, outbox, user = unpack(KEYS)
local uid, target, seconds, hush, most, partition, max, rid = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
local now = math.floor(now_ms() / 1000)
local muted = redis.call('ZCOUNT', mutes, '(' .. now, '+inf')
local again = redis.call('ZSCORE', mutes, target)
if not (again and tonumber(again) > now) and muted >= tonumber(most) then return redis.error_reply('MUTESFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
for _, list in ipairs({mutes, hushed}) do
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZREM', list, target)
end
local ends = now + tonumber(seconds)
while redis.call('ZCOUNT', mutes, ends, ends) > 0 do ends = ends + 1 end
redis.call('ZADD', mutes, ends, target)
if hush == '1' then redis.call('ZADD', hushed, ends, target) end
emit(outbox, partition, 'type', 'muted', 'rid', rid, 'uid', uid)
return ends
