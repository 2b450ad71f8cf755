-- Notices to a member's verified address.
--
-- KEYS     email   accounts.email.email(uid)
-- WRITES   nothing

-- Queue what `notice` of `accounts/email/addresses.py` returns. Return 1, or 0 without an address
-- or a notice.
local function queue_notice(notice)
  local to = notice ~= '' and redis.call('HGET', email, 'address')
  if not to then return 0 end
  local packed = cjson.decode(notice)
  return queue_mail(packed.mail, to, packed.content, packed.life, packed.waiting_max)
end
