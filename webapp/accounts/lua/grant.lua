-- Grant a right to a member, or withdraw it.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     uid
--          right
--          granted   1 to grant, 0 to withdraw
-- RETURNS  the member's rights, separated by blanks
-- ERRORS   NOMEMBER
-- WRITES   member
-- include accounts/lua/includes/set_right.lua

if redis.call('HEXISTS', member, 'login') == 0 then return redis.error_reply('NOMEMBER ' .. uid) end
set_right(member, right, granted == '1')
return redis.call('HGET', member, 'rights')
