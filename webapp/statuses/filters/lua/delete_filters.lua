-- Delete filters, those that there are, and emit `filter_deleted`.
--
-- KEYS     filters   statuses.filters.filters(uid)
-- ARGV     numbers...
-- RETURNS  how many were deleted
-- EMITS    filter_deleted

local deleted = redis.call('HDEL', filters, unpack(numbers))
if deleted > 0 then emit('filter_deleted', 'uid', uid) end
return deleted
