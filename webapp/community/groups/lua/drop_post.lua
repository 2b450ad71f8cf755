-- Take a post off the timeline of a group, as an owner. The post itself stays.
--
-- KEYS     owners   statuses.visibility.group_owners(gid)
--          posts    statuses.visibility.group_posts(gid)
--          votes    community.groups.group_votes(gid)
--          voters   community.groups.group_voters(gid, id)
--          top      community.groups.group_top(gid)
--          pinned   community.groups.group_pinned(gid)
--          removed  community.groups.group_removed(gid)
-- ARGV     uid
--          author   of the post
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, NOSTATUS
-- WRITES   posts, votes, voters, top, pinned, removed

local REMOVED_MAX = 500
require_group_owner(owners, uid)
local entry = id .. ':' .. author
if redis.call('ZREM', posts, entry) == 0 then refuse('NOSTATUS', id) end
redis.call('ZREM', votes, entry)
redis.call('ZREM', top, entry)
redis.call('ZREM', pinned, entry)
redis.call('UNLINK', voters)
redis.call('ZADD', removed, id_text(now_ms()), id)
redis.call('ZREMRANGEBYRANK', removed, 0, -(REMOVED_MAX + 1))
return 1
