-- Read the lists of a member, newest first.
--
-- KEYS     lists            lists.lists(uid)
--          list_prefix      lists.list_.prefix(uid)
--          members_prefix   lists.list_members.prefix(uid)
-- ARGV     member   the uid to look for on them, or 0
-- RETURNS  for each {number, {name, private, exclusive}, member count, 1 if `member` is on it or 0}
-- WRITES   nothing

local found = {}
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1, 'REV')) do
  local name = uid .. ':' .. number
  local fields = redis.call('HMGET', list_prefix .. name, 'name', 'private', 'exclusive')
  local size = redis.call('ZCARD', members_prefix .. name)
  local has_member = redis.call('ZSCORE', members_prefix .. name, member) and 1 or 0
  found[#found + 1] = {number, fields, size, has_member}
end
return found
