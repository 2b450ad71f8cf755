-- List who signed up with an invitation of a member. The oldest go.
--
-- KEYS     user      accounts.user(uid)
--          invited   accounts.invited_members(uid)
-- ARGV     uid           of who made the invitation
--          joined_uid
--          joined_ms
-- RETURNS  1, or 0 if there is no such account
-- WRITES   invited

local INVITED_MAX = 500
if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
redis.call('ZADD', invited, joined_ms, joined_uid)
redis.call('ZREMRANGEBYRANK', invited, 0, -INVITED_MAX - 1)
return 1
