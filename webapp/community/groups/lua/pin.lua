-- Pin a post of a group's timeline, or unpin one, as an owner. Doing it again changes nothing.
--
-- KEYS     owners   statuses.visibility.group_owners(gid)
--          posts    statuses.visibility.group_posts(gid)
--          pinned   community.groups.group_pinned(gid)
-- ARGV     uid
--          id
--          author       of the post
--          pin          1, or '' to unpin
--          pinned_max
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, NOSTATUS, GROUPPINSFULL
-- WRITES   pinned

require_group_owner(owners, uid)
local entry = id .. ':' .. author
if pin == '' then
  redis.call('ZREM', pinned, entry)
  return 1
end
if not redis.call('ZSCORE', posts, entry) then refuse('NOSTATUS', id) end
if redis.call('ZSCORE', pinned, entry) then return 1 end
if redis.call('ZCARD', pinned) >= tonumber(pinned_max) then refuse('GROUPPINSFULL', group) end
redis.call('ZADD', pinned, id_text(now_ms()), entry)
return 1
