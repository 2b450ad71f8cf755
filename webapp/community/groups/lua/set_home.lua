-- Choose whether a member's home shows the posts of a group, how many are new, or nothing.
--
-- KEYS     groups   statuses.visibility.groups(uid)
-- ARGV     uid
--          gid
--          choice   yes, digest or no
-- RETURNS  1
-- ERRORS   NOTINGROUP
-- WRITES   groups
-- include core/store/lua/includes/ids.lua

if not redis.call('ZSCORE', groups, gid) then return redis.error_reply('NOTINGROUP ' .. gid) end
local scores = {yes = '1', no = '0', digest = first_id_at(now_ms())}
redis.call('ZADD', groups, 'XX', scores[choice], gid)
return 1
