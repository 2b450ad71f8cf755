-- Purpose: bring a member's list of followers up to what a follower's own list says.
-- KEYS: 1 = keys.fences  2 = keys.followers  3 = keys.user   (of the followed member)
-- ARGV: 1 = source  2 = token  3 = the follower's uid  4 = when they followed, unix us, or '' when they do not
-- Returns: how many followers there are now; -1 when the followed account is deleted   Errors: LEASELOST   Writes: KEYS 1, 2
-- include ids.lua
-- include fence.lua
local fences, followers, user = unpack(KEYS)
local source, token, uid, at = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if at ~= '' and redis.call('HEXISTS', user, 'login') == 0 then return -1 end
if at == '' then
  redis.call('ZREM', followers, uid)
elseif not redis.call('ZSCORE', followers, uid) then
  local newest = redis.call('ZRANGE', followers, -1, -1, 'WITHSCORES')
  redis.call('ZADD', followers, id_text(math.max(tonumber(at), tonumber(newest[2] or 0) + 1)), uid)
end
return redis.call('ZCARD', followers)
