-- Rename a hashtag that a member follows or features, unless they no longer do.
--
-- KEYS     tags   zset: name -> unix ms, each higher than the one before
-- ARGV     name
--          folded   its new name, "" if it is no hashtag any more
-- RETURNS  1 if it was renamed or removed, 0 if it was not there
-- FENCED

local score = redis.call('ZSCORE', tags, name)
if not score then return 0 end
if folded ~= '' then redis.call('ZADD', tags, 'NX', score, folded) end
return redis.call('ZREM', tags, name)
