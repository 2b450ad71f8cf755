-- Return the owner of an access token, and what an app may do with it. When it was last used is
-- written at intervals.
--
-- KEYS     token    accounts.tokens.token(uid, sha)
--          member   accounts.user(uid)
-- ARGV     uid              that the token names
--          touch_interval   config.session_touch   seconds between two writes of the last use
--          fields...        of the member
-- RETURNS  the values of `fields`, then the token's `scopes` and `app` (empty for a token that its
--          owner made), or false if there is no such token. A suspended owner is one who waits
--          to be accepted
-- WRITES   token

local owner, used, scopes, app = unpack(redis.call('HMGET', token, 'uid', 'used', 'scopes', 'app'))
if owner ~= uid then return false end
local values = active_member(member, fields)
  or (redis.call('HEXISTS', member, 'waiting') == 1 and redis.call('HMGET', member, unpack(fields)))
if not values then return false end
touch(token, 'used', used, touch_interval)
values[#values + 1] = scopes or ''
values[#values + 1] = app or ''
return values
