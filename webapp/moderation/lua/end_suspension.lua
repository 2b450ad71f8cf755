-- Take a member off the list of those who are deleted after a suspension, or put that off. A newer
-- suspension stays listed.
--
-- KEYS     listed   moderation.ending_suspensions(uid)
-- ARGV     ends      when the suspension ends that was looked at, unix ms
--          put_off   ms, 0 to take the member off
-- RETURNS  1, or 0 if nothing changes

if redis.call('ZSCORE', listed, uid) ~= ends then return 0 end
if put_off == '0' then return redis.call('ZREM', listed, uid) end
return redis.call('ZADD', listed, 'CH', id_text(now_ms() + tonumber(put_off)), uid)
