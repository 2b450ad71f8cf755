-- Choose whether the posts of a group are in a member's home.
--
-- KEYS     groups   statuses.visibility.groups(uid)
-- ARGV     uid
--          gid
--          shown   1, or 0
-- RETURNS  1
-- ERRORS   NOTINGROUP
-- WRITES   groups

if not redis.call('ZSCORE', groups, gid) then return redis.error_reply('NOTINGROUP ' .. gid) end
redis.call('ZADD', groups, 'XX', shown, gid)
return 1
