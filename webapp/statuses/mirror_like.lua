-- Purpose: bring a status's list of likes up to what a member's own list says; the status says how many there are.
-- KEYS: 1 = keys.fences  2 = keys.status  3 = keys.likes   (of the status)
-- ARGV: 1 = source  2 = token  3 = the member's uid  4 = when they liked it, unix ms, or '' when they do not
-- Returns: how many likes there are now; -1 when the status is gone   Errors: LEASELOST   Writes: all keys
-- include ids.lua
-- include fence.lua
local fences, status, likes = unpack(KEYS)
local source, token, uid, at = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('UNLINK', likes)
  return -1
end
if at == '' then
  redis.call('ZREM', likes, uid)
elseif not redis.call('ZSCORE', likes, uid) then
  local newest = redis.call('ZRANGE', likes, -1, -1, 'WITHSCORES')
  redis.call('ZADD', likes, id_text(math.max(tonumber(at), tonumber(newest[2] or 0) + 1)), uid)
end
local count = redis.call('ZCARD', likes)
if count > 0 then redis.call('HSET', status, 'likes', count) else redis.call('HDEL', status, 'likes') end
return count
