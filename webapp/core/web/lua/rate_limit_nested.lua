-- Count one action against a narrow rate limit and, if that lets it through, against a wide one.
-- So one network cannot fill the bucket that all networks share.
--
-- KEYS     narrow   core.web.rate_limit(narrow_name, subject)
--          wide     core.web.rate_limit(wide_name, subject)
-- ARGV     narrow_burst    actions at once
--          narrow_period   seconds in which a full bucket empties
--          wide_burst      actions at once
--          wide_period     seconds in which a full bucket empties
-- RETURNS  0, or the seconds to wait

local wait = consume(narrow, tonumber(narrow_burst), tonumber(narrow_period))
if wait > 0 then return wait end
return consume(wide, tonumber(wide_burst), tonumber(wide_period))
