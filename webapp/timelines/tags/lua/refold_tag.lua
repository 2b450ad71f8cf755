-- Rename a hashtag that a member follows, unless they no longer do.
--
-- KEYS     tags   timelines.followed_tags(uid)
-- ARGV     name
--          folded   its new name, "" if it is no hashtag any more
-- RETURNS  1 if it was renamed or removed, 0 if it was not followed
-- FENCED

local score = redis.call('ZSCORE', tags, name)
if not score then return 0 end
if folded ~= '' then redis.call('ZADD', tags, 'NX', score, folded) end
return redis.call('ZREM', tags, name)
