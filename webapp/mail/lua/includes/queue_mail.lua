-- The queue of mails.
--
-- KEYS     mails         mail.mails(uid)
--          mail_prefix   mail.mail(uid, '')

-- Queue a mail for `life` ms. Return 1, or 0 if `waiting_max` mails wait.
local function queue_mail(mail, to, content, life, waiting_max)
  if redis.call('ZCARD', mails) >= tonumber(waiting_max) then return 0 end
  redis.call('HSET', mail_prefix .. mail, 'uid', uid, 'to', to, 'content', content)
  redis.call('PEXPIRE', mail_prefix .. mail, life)
  redis.call('ZADD', mails, id_text(now_ms()), mail)
  return 1
end
