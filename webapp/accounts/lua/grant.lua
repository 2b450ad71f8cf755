-- Grant a right to a member, or withdraw it.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     uid
--          right
--          granted   1 to grant, 0 to withdraw
-- RETURNS  the member's rights, separated by blanks
-- ERRORS   NOMEMBER
-- WRITES   member

local login, rights_text = unpack(redis.call('HMGET', member, 'login', 'rights'))
if not login then return redis.error_reply('NOMEMBER ' .. uid) end

local rights = granted == '1' and {right} or {}
for other_right in string.gmatch(rights_text or '', '%S+') do
  if other_right ~= right then table.insert(rights, other_right) end
end
table.sort(rights)
redis.call('HSET', member, 'rights', table.concat(rights, ' '))
return table.concat(rights, ' ')
