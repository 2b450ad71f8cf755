-- Count one action against a rate limit.
--
-- KEYS     bucket   string: unix microseconds at which it is empty
-- ARGV     burst    actions at once
--          period   seconds in which a full bucket empties
-- RETURNS  0, or the seconds to wait

return consume(bucket, tonumber(burst), tonumber(period))
