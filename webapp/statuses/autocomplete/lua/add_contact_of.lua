-- Note who has a member among their contacts.
--
-- KEYS     fences      hash
--          member      hash
--          contact_of  set: uid
-- ARGV     source
--          token
--          uid         who has the member among their contacts
-- RETURNS  1; 0 if the member has no account
-- ERRORS   LEASELOST
-- WRITES   fences, contact_of
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', member, 'login') == 0 then return 0 end
redis.call('SADD', contact_of, uid)
return 1
