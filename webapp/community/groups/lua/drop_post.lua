-- Take a post off the timeline of a group, as an owner. The post itself stays.
--
-- KEYS     owners   statuses.visibility.group_owners(gid)
-- ARGV     uid
--          id
--          author   of the post
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, NOSTATUS
-- WRITES   posts, votes, voters, top, pinned, removed

require_group_owner(owners, uid)
if not drop_entry(id .. ':' .. author) then refuse('NOSTATUS', id) end
return 1
