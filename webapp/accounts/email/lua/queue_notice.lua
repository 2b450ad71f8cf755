-- Queue a notice to a member who has a verified address.
--
-- KEYS     email         accounts.email.email(uid)
-- ARGV     mail          its name
--          content
--          waiting_max   mails that may wait
--          life          ms that it may wait
-- RETURNS  1 if it is queued, else 0
-- WRITES   mails, mail_prefix
-- include mail/lua/includes/queue_mail.lua

local to = redis.call('HGET', email, 'address')
if not to then return 0 end
return queue_mail(mail, to, content, life, waiting_max)
