-- Store a member's consent under the code that the app gets.
--
-- KEYS     code     client_api.oauth.oauth_code(uid, sha)
-- ARGV     sha
--          seconds     for which the code is valid
--          fields...   names and values in turn
-- RETURNS  1
-- ERRORS   NOMEMBER, SUSPENDED
-- WRITES   code
-- include accounts/lua/includes/require_active.lua

local refusal = require_active()
if refusal then return refusal end
redis.call('HSET', code, unpack(fields))
return redis.call('EXPIRE', code, seconds)
