-- Emit the event about a new offer of a member, unless the account is gone.
--
-- KEYS     user   accounts.user(uid)
-- ARGV     id     of the offer
-- WRITES   nothing
-- EMITS    job_posted

if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
refuse_when_behind()
emit('job_posted', 'uid', uid, 'id', id, 'day', math.floor(now_ms() / 86400000))
return 1
