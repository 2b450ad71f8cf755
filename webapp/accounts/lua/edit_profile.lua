-- Purpose: change a member's profile, and tell the worker.
-- KEYS: 1 = keys.user  2 = keys.outbox
-- ARGV: 1 = uid  2 = partition  3 = OUTBOX_MAX  4 = rid; then fields and values, '' to take a field away
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local user, outbox = KEYS[1], KEYS[2]
local uid, partition, max, rid = unpack(ARGV, 1, 4)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local before = redis.call('HMGET', user, 'avatar', 'header')
for index = 5, #ARGV, 2 do
  if ARGV[index + 1] == '' then
    redis.call('HDEL', user, ARGV[index])
  else
    redis.call('HSET', user, ARGV[index], ARGV[index + 1])
  end
end
local replaced = {}
for index, name in ipairs(redis.call('HMGET', user, 'avatar', 'header')) do
  if before[index] and before[index] ~= name then replaced[#replaced + 1] = before[index] end
end
emit(outbox, partition, 'type', 'edited', 'rid', rid, 'uid', uid, 'replaced', table.concat(replaced, ' '))
return 1
