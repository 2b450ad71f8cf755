-- Purpose: bring a member's list of followers up to what a follower's own list says. A protected member's list takes nobody
--   who was not accepted: who was on it when the member became protected stays.
-- KEYS: 1 = keys.fences  2 = keys.followers  3 = keys.user   (of the followed member)
-- ARGV: 1 = source  2 = token  3 = the follower's uid  4 = when they followed, unix us, or '' when they do not  5 = 1 where
--       the event tells of that very follow  6 = 1 where it was asked for
-- Returns: how many followers there are now; -1 when the followed account is deleted; -2 when they must ask
-- Errors: LEASELOST   Writes: KEYS 1, 2
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua
local fences, followers, user = unpack(KEYS)
local source, token, uid, at, this, asked = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local member = redis.call('HMGET', user, 'login', 'protected')
if at ~= '' and not member[1] then return -1 end
if at == '' then
  redis.call('ZREM', followers, uid)
elseif not redis.call('ZSCORE', followers, uid) then
  if member[2] and this == '1' and asked ~= '1' then return -2 end
  if not member[2] or this == '1' then -- else a later event tells of it
    local newest = redis.call('ZRANGE', followers, -1, -1, 'WITHSCORES')
    redis.call('ZADD', followers, id_text(math.max(tonumber(at), tonumber(newest[2] or 0) + 1)), uid)
  end
end
return redis.call('ZCARD', followers)
