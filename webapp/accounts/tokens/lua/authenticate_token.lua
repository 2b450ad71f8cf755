-- Return the owner of an access token. When it was last used is written at intervals.
--
-- KEYS     token    accounts.tokens.token(uid, sha)
--          member   accounts.user(uid)
-- ARGV     uid              that the token names
--          touch_interval   seconds between two writes of the last use
--          fields...        of the member
-- RETURNS  the values of `fields`, or false if there is no such token
-- WRITES   token
-- include core/store/lua/includes/ids.lua
-- include accounts/lua/includes/active_member.lua
-- include accounts/lua/includes/touch.lua

local owner, used = unpack(redis.call('HMGET', token, 'uid', 'used'))
if owner ~= uid then return false end
local values = active_member(member, fields)
if not values then return false end
touch(token, 'used', used, touch_interval)
return values
