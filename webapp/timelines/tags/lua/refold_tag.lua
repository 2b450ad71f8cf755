-- Rename a hashtag that a member follows, unless they no longer do.
--
-- KEYS     fences   hash: the newest token of each source
--          tags     zset: name -> unix ms
-- ARGV     source
--          token
--          name
--          folded   its new name, "" if it is no hashtag any more
-- RETURNS  1 if it was renamed or removed, 0 if it was not followed
-- ERRORS   LEASELOST
-- WRITES   fences, tags
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local score = redis.call('ZSCORE', tags, name)
if not score then return 0 end
if folded ~= '' then redis.call('ZADD', tags, 'NX', score, folded) end
return redis.call('ZREM', tags, name)
