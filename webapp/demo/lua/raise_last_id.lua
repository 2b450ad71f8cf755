-- Make the next status id of a partition later than one that was written directly.
--
-- KEYS     last_id   statuses.last_status_id(partition)
-- ARGV     status_id
-- RETURNS  1 if that raised it, 0 otherwise

local current = redis.call('GET', last_id)
if current and tonumber(current) >= tonumber(status_id) then return 0 end
redis.call('SET', last_id, status_id)
return 1
