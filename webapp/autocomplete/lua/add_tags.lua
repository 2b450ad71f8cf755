-- Note which hashtags a member used. The oldest of too many are dropped.
--
-- KEYS     member   accounts.user(author)
--          tags     autocomplete.recent_tags(author)
-- ARGV     limit        most hashtags
--          entries...   names, each after the id of a status
-- RETURNS  1; 0 if the member has no account
-- WRITES   tags
-- FENCED

if redis.call('HEXISTS', member, 'login') == 0 then return 0 end
redis.call('ZADD', tags, 'GT', unpack(entries))
redis.call('ZREMRANGEBYRANK', tags, 0, -(limit + 1))
return 1
