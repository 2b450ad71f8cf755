-- Choose whether a member's home shows the posts of a group, how many are new, or nothing. Or let
-- the count of new ones begin now, if it shows that.
--
-- KEYS     groups   statuses.visibility.groups(uid)
-- ARGV     gid
--          choice   yes, digest, no, or visit
-- RETURNS  1, or 0 if a visit changes nothing
-- ERRORS   NOTINGROUP

local score, scores = redis.call('ZSCORE', groups, gid), {yes = 1, no = 0}
if choice == 'visit' and tonumber(score or 0) <= 1 then return 0 end
if not score then refuse('NOTINGROUP', gid) end
redis.call('ZADD', groups, 'XX', scores[choice] or first_id_at(now_ms()), gid)
return 1
