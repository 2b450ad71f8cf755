-- Add a group to a member's own list, or remove it from there.
--
-- KEYS     groups   statuses.visibility.groups(uid)
-- ARGV     uid
--          gid
--          joined   1, or '' to remove it
-- RETURNS  1 if the list changed, else 0
-- ERRORS   LEASELOST
-- WRITES   groups
-- FENCED

if joined == '' then return redis.call('ZREM', groups, gid) end
return redis.call('ZADD', groups, 'NX', 1, gid)
