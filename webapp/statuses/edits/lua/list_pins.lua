-- Read a member's pinned statuses.
--
-- KEYS     pinned         zset: status id -> unix ms
--          status_prefix  prefix of the member's statuses
-- ARGV     limit          statuses
--          fields...      fields of a status
-- RETURNS  rows {id, fields}, pinned last first
-- WRITES   nothing

local rows = {}
for index, id in ipairs(redis.call('ZRANGE', pinned, 0, limit - 1, 'REV')) do
  local values = redis.call('HMGET', status_prefix .. id, unpack(fields))
  rows[index] = {id, unpack(values, 1, #fields)}
end
return rows
