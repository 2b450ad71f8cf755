-- Let the count of new posts of a group begin now, if a member's home shows it.
--
-- KEYS     groups   statuses.visibility.groups(uid)
-- ARGV     uid
--          gid
-- RETURNS  1, or 0 if their home shows no count
-- WRITES   groups
-- include core/store/lua/includes/ids.lua

if tonumber(redis.call('ZSCORE', groups, gid) or 0) <= 1 then return 0 end
redis.call('ZADD', groups, 'XX', first_id_at(now_ms()), gid)
return 1
