-- Purpose: mark notifications as read, and tell open pages.
-- KEYS: 1 = keys.unread   ARGV: 1 = uid; then those that were shown, none for all
-- Returns: how many were unread   Errors: none   Writes: KEYS[1]
local unread, uid, seen = KEYS[1], ARGV[1], 0
if #ARGV == 1 then
  seen = redis.call('SCARD', unread)
  redis.call('UNLINK', unread)
end
for index = 2, #ARGV do seen = seen + redis.call('SREM', unread, ARGV[index]) end
if seen > 0 then redis.call('PUBLISH', 'chat', 'b ' .. uid) end
return seen
