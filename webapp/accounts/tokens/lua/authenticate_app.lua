-- Accept a signed request of an app once, and return its owner. When the app was last used is
-- written at intervals.
--
-- KEYS     app      accounts.tokens.app(uid, app_id)
--          member   accounts.user(uid)
--          nonce    accounts.tokens.nonce(uid, app_id, nonce_sha)
-- ARGV     nonce_ttl        seconds
--          touch_interval   seconds between two writes of the last use
-- RETURNS  the values of MEMBER_FIELDS, or false if there is no such app. 'suspended', 'bot',
--          'quote_policy', 'places_hidden_up_to', 'audience' and 'hidden_from_search'
--          are always nil
-- ERRORS   REPLAYED
-- WRITES   app, nonce
-- include core/store/lua/includes/ids.lua

local token, used = unpack(redis.call('HMGET', app, 'token', 'used'))
if not token then return false end
local login, name, joined, avatar, suspended, protected = unpack(redis.call('HMGET', member,
  'login', 'name', 'joined', 'avatar', 'suspended', 'protected'))
if not login or suspended then return false end
if not redis.call('SET', nonce, 1, 'NX', 'EX', nonce_ttl) then
  return redis.error_reply('REPLAYED this nonce was used before')
end

local now = math.floor(now_ms() / 1000)
if now - tonumber(used or 0) >= tonumber(touch_interval) then
  redis.call('HSET', app, 'used', now)
end
return {login, name, joined, avatar, false, false, false, protected, false, false, false}
