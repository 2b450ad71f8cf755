-- Taking posts off the timeline of a group. The posts themselves stay.
--
-- KEYS     posts    statuses.visibility.group_posts(gid)
--          votes    community.groups.group_votes(gid)
--          voters   community.groups.group_voters.prefix(gid)
--          top      community.groups.group_top(gid)
--          pinned   community.groups.group_pinned(gid)
--          removed  community.groups.group_removed(gid)
-- WRITES   posts, votes, voters, top, pinned, removed

local REMOVED_MAX = 500

-- Take off `id:author`. Return false if it is not there.
local function drop_entry(entry)
  if redis.call('ZREM', posts, entry) == 0 then return false end
  local id = string.match(entry, '^%d+')
  for _, key in ipairs({votes, top, pinned}) do redis.call('ZREM', key, entry) end
  redis.call('UNLINK', voters .. gid .. ':' .. id)
  redis.call('ZADD', removed, id_text(now_ms()), id)
  redis.call('ZREMRANGEBYRANK', removed, 0, -(REMOVED_MAX + 1))
  return true
end
