-- Bring a post's place in the timeline of its group up to date. It is there if its author may post
-- there now and no owner has removed it. The oldest posts go, with their votes and pins.
--
-- KEYS     group     statuses.visibility.group(gid)
--          members   statuses.visibility.group_members(gid)
--          owners    statuses.visibility.group_owners(gid)
--          posts     statuses.visibility.group_posts(gid)
--          votes     community.groups.group_votes(gid)
--          voters    community.groups.group_voters(gid, id)
--          pinned    community.groups.group_pinned(gid)
--          removed   community.groups.group_removed(gid)
-- ARGV     author
--          exists   1, or '' to remove it
--          limit    GROUP_POSTS_MAX
-- RETURNS  1 if the post is there afterwards, else 0
-- WRITES   posts, votes, voters, pinned, removed
-- FENCED

local entry = id .. ':' .. author
local kind = redis.call('HGET', group, 'kind')
local may_post = kind and redis.call('ZSCORE', members, author)
  and (kind ~= 'announcements' or redis.call('SISMEMBER', owners, author) == 1)
if exists == '' then
  redis.call('ZREM', posts, entry)
  redis.call('ZREM', votes, entry)
  redis.call('ZREM', pinned, entry)
  redis.call('ZREM', removed, id)
  redis.call('UNLINK', voters)
elseif may_post and not redis.call('ZSCORE', removed, id) then
  redis.call('ZADD', posts, id, entry)
  redis.call('ZADD', votes, 'NX', 1, entry)
  if redis.call('ZREMRANGEBYRANK', posts, 0, -(tonumber(limit) + 1)) > 0 then
    redis.call('ZINTERSTORE', votes, 2, votes, posts, 'WEIGHTS', 1, 0)
    redis.call('ZINTERSTORE', pinned, 2, pinned, posts, 'WEIGHTS', 1, 0)
  end
end
return redis.call('ZSCORE', posts, entry) and 1 or 0
