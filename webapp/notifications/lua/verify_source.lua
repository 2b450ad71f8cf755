-- Purpose: say whether what an event tells is still so, and note whom its author tells of it, to be found when they are deleted.
-- KEYS: 1 = keys.fences  2 = keys.user  3 = keys.told  4 = the list, or the status, that is the truth
--       5 = keys.followers   (of who did it)
-- ARGV: 1 = source  2 = token  3 = the uid of who is told  4 = what must be on that list; '' where the key must be there
-- Returns: 1, or 0 when it is not so any more, or, of what a protected member wrote, not for who is told   Errors: LEASELOST   Writes: KEYS 1 and 3
-- include core/events/lua/includes/fence.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
local fences, user, told, truth, followers = unpack(KEYS)
local source, token, uid, what = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local member = redis.call('HMGET', user, 'login', 'protected')
if not member[1] then return 0 end
local so
if what ~= '' then so = redis.call('ZSCORE', truth, what)
else
  local status = redis.call('HMGET', truth, 'author', 'vis')
  local own = status[1] == uid
  so = status[1] and (own or not member[2] or is_limited(status[2]) or redis.call('ZSCORE', followers, uid))
end
if not so then return 0 end
redis.call('SADD', told, uid)
return 1
