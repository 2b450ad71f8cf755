-- Queue the weekly digest of a member who is due, and set when the next one is. Suspended members
-- get none.
--
-- KEYS     email         accounts.email.email(uid)
--          user          accounts.user(uid)
--          digests       accounts.email.digests(uid)
-- ARGV     due           when it was due, as read: another worker may have queued it since
--          next_due      unix seconds
--          mail          its name
--          content       '' if there is nothing to tell
--          waiting_max   mails that may wait
--          life          ms that it may wait
-- RETURNS  1 if it is queued, else 0
-- WRITES   digests

if tonumber(redis.call('ZSCORE', digests, uid)) ~= tonumber(due) then return 0 end
local to = redis.call('HGET', email, 'address')
if not to then
  redis.call('ZREM', digests, uid)
  return 0
end
redis.call('ZADD', digests, next_due, uid)
if content == '' or redis.call('HEXISTS', user, 'suspended') == 1 then return 0 end
return queue_mail(mail, to, content, life, waiting_max)
