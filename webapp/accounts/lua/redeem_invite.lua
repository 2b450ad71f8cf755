-- Use one place of an invitation for a member id whose account is about to be created.
--
-- KEYS     places        accounts.invite_places(code)
--          redemptions   accounts.invite_redemptions(code)
-- ARGV     uid
--          abandoned_uids...   uids without an account, whose places are free again if old enough
-- RETURNS  {1} if a place was used; else {0, the uids with places old enough to be checked …}
-- WRITES   redemptions

local TAKEOVER_MS = 60000
local CHECKED_MAX = 1000
local places_max = redis.call('GET', places)
if not places_max then return {0} end

local now = now_ms()
for _, other_uid in ipairs(abandoned_uids) do
  local redeemed_at = redis.call('ZSCORE', redemptions, other_uid)
  if redeemed_at and now - tonumber(redeemed_at) > TAKEOVER_MS then
    redis.call('ZREM', redemptions, other_uid)
  end
end

if redis.call('ZCARD', redemptions) < tonumber(places_max) then
  redis.call('ZADD', redemptions, id_text(now), uid)
  redis.call('EXPIREAT', redemptions, redis.call('EXPIRETIME', places))
  return {1}
end
local old = '(' .. id_text(now - TAKEOVER_MS)
local old_uids = redis.call('ZRANGE', redemptions, '-inf', old, 'BYSCORE', 'LIMIT', 0, CHECKED_MAX)
return {0, unpack(old_uids)}
