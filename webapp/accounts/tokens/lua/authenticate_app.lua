-- Accept a signed request of an app once, and return its owner. When the app was last used is
-- written at intervals.
--
-- KEYS     app      accounts.tokens.app(uid, app_id)
--          member   accounts.user(uid)
--          nonce    accounts.tokens.nonce(uid, app_id, nonce_sha)
-- ARGV     nonce_ttl        seconds
--          touch_interval   config.session_touch   seconds between two writes of the last use
--          fields...        of the member
-- RETURNS  the values of `fields`, or false if there is no such app
-- ERRORS   REPLAYED
-- WRITES   app, nonce

local token, used = unpack(redis.call('HMGET', app, 'token', 'used'))
if not token then return false end
local values = active_member(member, fields)
if not values then return false end
if not redis.call('SET', nonce, 1, 'NX', 'EX', nonce_ttl) then
  refuse('REPLAYED', 'this nonce was used before')
end
touch(app, 'used', used, touch_interval)
return values
