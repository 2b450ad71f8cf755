-- Note in a partition whether an author is suspended, for the script that reads homes there.
--
-- KEYS     fences      hash: the newest token of each source
--          suspended   set: suspended members
-- ARGV     source
--          token
--          author      uid
--          is_suspended   1 or 0
-- RETURNS  1 if that changed something, else 0
-- ERRORS   LEASELOST
-- WRITES   fences, suspended
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
return redis.call(is_suspended == '1' and 'SADD' or 'SREM', suspended, author)
