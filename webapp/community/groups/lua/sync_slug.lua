-- Keep the address of a group for good, or free that of a closed one. Those of others stay.
--
-- KEYS     claim    community.groups.group_slug(slug)
-- ARGV     gid
--          uid      who made it, '' if it was closed
--          exists   '' if the group is gone
-- FENCED

if exists ~= '' and uid ~= '' then
  redis.call('SET', claim, gid .. ':' .. uid, 'NX')
  redis.call('PERSIST', claim)
elseif exists == '' and string.match(redis.call('GET', claim) or '', '^%d+') == gid then
  redis.call('UNLINK', claim)
end
return 1
