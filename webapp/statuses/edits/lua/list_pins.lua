-- Read a member's pinned statuses.
--
-- KEYS     pinned          statuses.edits.pinned_statuses(uid)
--          status_prefix   statuses.status.prefix(uid)
-- ARGV     limit   statuses
-- RETURNS  rows {id, fields}, pinned last first
-- WRITES   nothing

local rows = {}
for index, id in ipairs(redis.call('ZRANGE', pinned, 0, limit - 1, 'REV')) do
  rows[index] = {id, redis.call('HGETALL', status_prefix .. id)}
end
return rows
