-- Claim a due mail. A claim lasts until its lease runs out. One that has expired is dropped.
--
-- KEYS     mails         mail.mails(partition)
--          mail_prefix   mail.mail(partition, '')
-- ARGV     waiting_max   MAILS_WAITING_MAX
--          lease         ms
--          lower_first   1 to take the class that waits behind the others
-- RETURNS  {mail, uid, to, content, tries, when the lease runs out}, or {} if none is due
-- WRITES   mails

local now = now_ms()
local due = redis.call('ZRANGE', mails, '-inf', id_text(now), 'BYSCORE', 'LIMIT', 0, waiting_max)
local chosen
for _, mail in ipairs(due) do
  local class = string.sub(mail, 1, 1)
  if redis.call('EXISTS', mail_prefix .. mail) == 0 then
    redis.call('ZREM', mails, mail)
  elseif not chosen or lower_first ~= '1' and class < string.sub(chosen, 1, 1)
    or lower_first == '1' and class > string.sub(chosen, 1, 1) then
    chosen = mail
  end
end
if not chosen then return {} end
local lease_expires = id_text(now + tonumber(lease))
redis.call('ZADD', mails, lease_expires, chosen)
local uid, to, content, tries =
  unpack(redis.call('HMGET', mail_prefix .. chosen, 'uid', 'to', 'content', 'tries'))
return {chosen, uid, to, content, tries or '0', lease_expires}
