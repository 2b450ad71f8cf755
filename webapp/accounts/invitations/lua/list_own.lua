-- List an invitation among those of the member who made it.
--
-- KEYS     own    accounts.own_invites(uid)
-- ARGV     code
--          expires     unix seconds
--          invites_max   config.invites_max
-- ERRORS   NOMEMBER, SUSPENDED, INVITESFULL

require_active()
redis.call('ZREMRANGEBYSCORE', own, '-inf', now_ms() / 1000)
if redis.call('ZCARD', own) >= tonumber(invites_max) then refuse('INVITESFULL', invites_max) end
redis.call('ZADD', own, expires, code)
redis.call('EXPIREAT', own, math.ceil(tonumber(expires)))
return 1
