-- Purpose: erase the oldest statuses of a deleted account, with their likes.
-- KEYS: 1 = keys.fences  2 = keys.user  3 = keys.profile  4 = keys.status_prefix  5 = keys.likes_prefix
-- ARGV: 1 = source  2 = token  3 = how many at most
-- Returns: how many there were   Errors: LEASELOST   Writes: KEYS 1, 3 and statuses and likes below KEYS 4, 5
-- include fence.lua
local fences, user, profile, statuses, likes = unpack(KEYS)
local refusal = stale(fences, ARGV[1], ARGV[2])
if refusal then return refusal end
if redis.call('HEXISTS', user, 'login') == 1 then return 0 end -- an account that exists loses nothing
local ids = redis.call('ZRANGE', profile, 0, ARGV[3] - 1)
for _, id in ipairs(ids) do
  redis.call('UNLINK', statuses .. id, likes .. id)
  redis.call('ZREM', profile, id)
end
return #ids
