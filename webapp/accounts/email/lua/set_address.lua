-- Set a member's verified address, or remove it, and tell the old one. A claim over 30 s old is
-- refused, so that nobody can have taken it over.
--
-- KEYS     email         accounts.email.email(uid)
--          user          accounts.user(uid)
--          digests       accounts.email.digests(uid)
-- ARGV     address       '' to remove it
--          claim         on the address, '' to remove it
--          mail          name of the mail to the old address
--          content       of that mail
--          waiting_max   mails that may wait
--          life          ms that it may wait
--          agent?        `Device.note`
-- RETURNS  {old address, its claim}, both '' for none
-- ERRORS   NOMEMBER, STALE
-- WRITES   email, digests

local CLAIM_MS = 30000
if redis.call('HEXISTS', user, 'login') == 0 then refuse('NOMEMBER', uid) end
local claimed_at = tonumber(string.match(claim, ':(%d+)$'))
if claimed_at and now_ms() - claimed_at > CLAIM_MS then refuse('STALE', 'the claim is old') end
local old, old_claim = unpack(redis.call('HMGET', email, 'address', 'claim'))
if (old or '') ~= address then note('address', agent) end
redis.call('DEL', email)
if address ~= '' then
  redis.call('HSET', email, 'address', address, 'claim', claim)
else
  redis.call('ZREM', digests, uid)
end
if not old or old == address then return {'', ''} end
queue_mail(mail, old, content, life, waiting_max)
return {old, old_claim}
