-- Purpose: take a place of an invitation for a member id whose account is about to be made.
-- KEYS: 1 = keys.invite  2 = keys.invited   ARGV: 1 = uid  2… = uids whose places go to others: they have no account
-- Returns: {1} when it is ours; {0, …} otherwise, with the uids whose places are old enough to be looked at   Writes: KEYS[2]
-- include core/store/lua/includes/ids.lua
local invite, invited, uid = KEYS[1], KEYS[2], ARGV[1]
local OLD_MS = 60000
local places = redis.call('GET', invite)
if not places then return {0} end
local now = now_ms()
for index = 2, #ARGV do
  local at = redis.call('ZSCORE', invited, ARGV[index])
  if at and now - tonumber(at) > OLD_MS then redis.call('ZREM', invited, ARGV[index]) end
end
if redis.call('ZCARD', invited) < tonumber(places) then
  redis.call('ZADD', invited, id_text(now), uid)
  redis.call('EXPIREAT', invited, redis.call('EXPIRETIME', invite))
  return {1}
end
return {0, unpack(redis.call('ZRANGE', invited, '-inf', '(' .. id_text(now - OLD_MS), 'BYSCORE', 'LIMIT', 0, 1000))}
