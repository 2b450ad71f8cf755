-- Note how sending a mail went.
--
-- KEYS     mails    mail.mails(partition)
--          mail     mail.mail(partition, name)
--          parked   mail.parked_mails(partition)
-- ARGV     lease_expires   as claimed
--          outcome         done, again or parked
--          delay           ms after which to try again
--          parked_entry    JSON, if it is given up
--          parked_max      how many of these are kept
-- RETURNS  1, or 0 if somebody else has claimed it

if tonumber(redis.call('ZSCORE', mails, name)) ~= tonumber(lease_expires) then return 0 end
if outcome == 'again' and redis.call('EXISTS', mail) == 1 then
  redis.call('HINCRBY', mail, 'tries', 1)
  redis.call('ZADD', mails, id_text(now_ms() + tonumber(delay)), name)
  return 1
end
redis.call('ZREM', mails, name)
redis.call('DEL', mail)
if outcome == 'parked' then
  redis.call('LPUSH', parked, parked_entry)
  redis.call('LTRIM', parked, 0, tonumber(parked_max) - 1)
end
return 1
