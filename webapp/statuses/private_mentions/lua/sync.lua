-- Sync a private mention, or its absence, to the list of a member whom it concerns. Above the limit
-- the oldest goes.
--
-- KEYS     user       accounts.user(uid)
--          mentions   statuses.private_mentions.private_mentions(uid)
-- ARGV     id         of the status
--          entry      `id:author:conversation`, or '' if the status is gone
--          limit      PRIVATE_MENTIONS_MAX
-- RETURNS  1, or 0 if the status or the member is gone
-- WRITES   mentions
-- FENCED

redis.call('ZREMRANGEBYSCORE', mentions, id, id) -- an edit may have changed its conversation
if entry == '' or redis.call('HEXISTS', user, 'login') == 0 then return 0 end
redis.call('ZADD', mentions, id, entry)
redis.call('ZREMRANGEBYRANK', mentions, 0, -tonumber(limit) - 1)
redis.call('PUBLISH', 'chat', 'b ' .. uid)
return 1
