-- Purpose: give a member a right, or take it away.
-- KEYS[1] = keys.user   ARGV: 1 = uid  2 = the right  3 = 1 to give, 0 to take
-- Returns: the member's rights, spaced   Errors: NOMEMBER   Writes: KEYS[1]
local user, uid, right, given = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local found = redis.call('HMGET', user, 'login', 'rights')
if not found[1] then return redis.error_reply('NOMEMBER ' .. uid) end
local rights = given == '1' and {right} or {}
for one in string.gmatch(found[2] or '', '%S+') do
  if one ~= right then rights[#rights + 1] = one end
end
table.sort(rights)
redis.call('HSET', user, 'rights', table.concat(rights, ' '))
return table.concat(rights, ' ')
