-- Make a group, whose maker owns it. Doing it again changes nothing. Another one is not made there.
--
-- KEYS     group     statuses.visibility.group(gid)
--          members   statuses.visibility.group_members(gid)
--          owners    statuses.visibility.group_owners(gid)
-- ARGV     uid      who makes it
--          slug
--          name
--          about
--          kind     open, closed or announcements
--          voting   '' (off), up or both
-- RETURNS  1, or 0 if it exists
-- ERRORS   SLUGTAKEN
-- EMITS    group_created

local stored = redis.call('HMGET', group, 'kind', 'name', 'about', 'voting')
if stored[1] then
  if table.concat(stored, '\0') == table.concat({kind, name, about, voting}, '\0') then return 0 end
  refuse('SLUGTAKEN', slug)
end
refuse_when_behind()
local now = id_text(now_ms())
redis.call('HSET', group, 'slug', slug, 'name', name, 'about', about, 'rules', '', 'kind', kind,
  'voting', voting, 'created', now)
redis.call('ZADD', members, now, uid)
redis.call('SADD', owners, uid)
emit('group_created', 'group', gid, 'uids', uid)
return 1
