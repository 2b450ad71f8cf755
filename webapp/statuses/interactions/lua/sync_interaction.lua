-- Purpose: bring a status's list of likes, or of boosts, up to what a member's own list says; the status says how many
-- there are.
-- KEYS: 1 = keys.fences  2 = keys.status  3 = keys.likes or keys.boosters   (of the status)
-- ARGV: 1 = source  2 = token  3 = the member's uid  4 = when they did it, as a number, or '' when they do not  5 = the field
--       that says how many
-- Returns: how many there are now; -1 when the status is gone   Errors: LEASELOST   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua
local fences, status, listed = unpack(KEYS)
local source, token, uid, at, field = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('ZREM', listed, uid)
  return -1
end
if at == '' then
  redis.call('ZREM', listed, uid)
elseif not redis.call('ZSCORE', listed, uid) then
  local newest = redis.call('ZRANGE', listed, -1, -1, 'WITHSCORES')
  redis.call('ZADD', listed, id_text(math.max(tonumber(at), tonumber(newest[2] or 0) + 1)), uid)
end
local count = redis.call('ZCARD', listed)
if count > 0 then redis.call('HSET', status, field, count) else redis.call('HDEL', status, field) end
return count
