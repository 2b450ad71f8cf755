-- Ask a member for the password alone at sign-ins, and forget the app and the recovery codes.
--
-- KEYS     member             accounts.user(uid)
--          authenticator      accounts.factors.authenticator(uid)
--          recovery_codes     accounts.factors.recovery_codes(uid)
-- ARGV     agent?   `Device.note`
-- RETURNS  1, or 0 if the second step was off

redis.call('HDEL', member, 'second_step')
redis.call('DEL', recovery_codes)
if redis.call('DEL', authenticator) == 0 then return 0 end
note('two_step_off', agent)
return 1
