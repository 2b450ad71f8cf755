-- Add a group to a member's own list, or remove it from there.
--
-- KEYS     groups   statuses.visibility.groups(uid)
--          user     accounts.user(uid)
-- ARGV     gid
--          joined   1, or '' to remove it
-- RETURNS  1 if the list changed, 0 if not, -1 for a member whose account is deleted
-- WRITES   groups
-- FENCED

if joined == '' then return redis.call('ZREM', groups, gid) end
if redis.call('HEXISTS', user, 'login') == 0 then return -1 end
return redis.call('ZADD', groups, 'NX', 1, gid)
