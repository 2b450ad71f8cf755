-- Add statuses with pictures to their author's list of those, as `post.lua` does since it exists.
--
-- KEYS     list            zset: one of the author's lists of statuses
--          media           statuses.profile_media(uid)
--          status_prefix   statuses.status.prefix(uid)
-- ARGV     above   the id before the first
--          limit   statuses
-- RETURNS  the id of the last, '' if there are no more
-- WRITES   media

local entries = redis.call('ZRANGE', list, '(' .. above, '+inf', 'BYSCORE', 'LIMIT', 0, limit)
local id = ''
for _, entry in ipairs(entries) do
  id = string.match(entry, '^%d+')
  if redis.call('HEXISTS', status_prefix .. id, 'media') == 1 then
    redis.call('ZADD', media, id, id)
  end
end
return id
