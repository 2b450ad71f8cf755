-- Return the owner of an access token. When it was last used is written at intervals.
--
-- KEYS     token    hash
--          member   accounts.user(uid)
-- ARGV     uid              that the token names
--          touch_interval   seconds between two writes of the last use
-- RETURNS  the values of MEMBER_FIELDS, or false if there is no such token. 'suspended',
--          'quote_policy', 'places_hidden_up_to', 'audience' and 'hidden_from_search'
--          are always nil
-- WRITES   token
-- include core/store/lua/includes/ids.lua

local owner, used = unpack(redis.call('HMGET', token, 'uid', 'used'))
if owner ~= uid then return false end
local login, name, joined, avatar, suspended, bot, protected = unpack(redis.call('HMGET', member,
  'login', 'name', 'joined', 'avatar', 'suspended', 'bot', 'protected'))
if not login or suspended then return false end

local now = math.floor(now_ms() / 1000)
if now - tonumber(used or 0) >= tonumber(touch_interval) then
  redis.call('HSET', token, 'used', now)
end
return {login, name, joined, avatar, false, bot, false, protected, false, false, false}
