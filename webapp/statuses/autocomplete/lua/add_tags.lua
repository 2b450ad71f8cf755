-- Note which hashtags a member used. The oldest of too many are dropped.
--
-- KEYS     fences     hash
--          member     hash
--          tags       zset: name -> id
-- ARGV     source
--          token
--          limit      most hashtags
--          entries...  names, each after the id of a status
-- RETURNS  1; 0 if the member has no account
-- ERRORS   LEASELOST
-- WRITES   fences, tags
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', member, 'login') == 0 then return 0 end
redis.call('ZADD', tags, 'GT', unpack(entries))
redis.call('ZREMRANGEBYRANK', tags, 0, -(limit + 1))
return 1
