-- Take a member off the list of those who are deleted after a suspension, but not for a newer one.
--
-- KEYS     listed   moderation.ending_suspensions(uid)
-- ARGV     ends     when the suspension ends that was looked at, unix ms
-- RETURNS  1, or 0 if it was another one

if redis.call('ZSCORE', listed, uid) ~= ends then return 0 end
return redis.call('ZREM', listed, uid)
