-- Purpose: bring the list of who asks to follow a member up to what an asker's own list says.
-- KEYS: 1 = keys.fences  2 = keys.requests  3 = keys.user  4 = keys.blocks   (of who is asked)
-- ARGV: 1 = source  2 = token  3 = the asker's uid  4 = 1 when they ask, 0 when not (any more)  5 = REQUESTS_MAX
-- Returns: 1; 0 when the request is void (the account is deleted, blocks the asker, or too many wait); 2 when nobody has to
--   ask, as the member is public   Errors: LEASELOST   Writes: KEYS 1, 2
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua
local fences, requests, user, blocks = unpack(KEYS)
local source, token, uid, asks, most = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if asks == '0' then
  redis.call('ZREM', requests, uid)
  return 1
end
if redis.call('ZSCORE', requests, uid) then return 1 end
local member = redis.call('HMGET', user, 'login', 'suspended', 'protected')
if not member[1] or member[2] or redis.call('ZSCORE', blocks, uid) then return 0 end
if not member[3] then return 2 end
if redis.call('ZCARD', requests) >= tonumber(most) then return 0 end
local newest = redis.call('ZRANGE', requests, -1, -1, 'WITHSCORES')
redis.call('ZADD', requests, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), uid)
return 1
