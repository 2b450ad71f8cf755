-- Notices to a member's address.
--
-- KEYS     email   accounts.email.email(uid)
-- WRITES   nothing

-- Queue what `notice` of `accounts/email/addresses.py` returns, to the verified address or that of
-- another field. Return 1, or 0 without an address or a notice.
local function queue_notice(notice, field)
  local to = notice ~= '' and redis.call('HGET', email, field or 'address')
  if not to then return 0 end
  local packed = cjson.decode(notice)
  return queue_mail(packed.mail, to, packed.content, packed.life, packed.waiting_max)
end
