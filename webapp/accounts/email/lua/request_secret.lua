-- Keep the HMAC of a secret and queue the mail that tells it. It replaces an older one.
--
-- KEYS     email         accounts.email.email(uid)
--          user          accounts.user(uid)
-- ARGV     purpose         verify, login or reset
--          hmac            of the secret
--          life            ms
--          tries           how often it may be guessed
--          new_address     to verify; '' for the verified one
--          typed_address   what the verified one must be; '' for any
--          mail            its name
--          content         of the mail
--          waiting_max     mails that may wait
-- RETURNS  1 if a mail is queued, else 0
-- WRITES   email

local login, suspended = unpack(redis.call('HMGET', user, 'login', 'suspended'))
if not login or suspended then return 0 end
local to = new_address
if to == '' then to = redis.call('HGET', email, 'address') end
if not to or typed_address ~= '' and typed_address ~= to then return 0 end
if queue_mail(mail, to, content, life, waiting_max) == 0 then return 0 end
if new_address ~= '' then redis.call('HSET', email, 'pending', new_address) end
redis.call('HSET', email, purpose, hmac, purpose .. '_tries', tries,
  purpose .. '_until', id_text(now_ms() + tonumber(life)))
return 1
