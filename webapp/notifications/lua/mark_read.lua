-- Mark notifications as read, and tell open pages.
--
-- KEYS     unread   notifications.unread_notifications(uid)
-- ARGV     entries...   the notifications; none means all
-- RETURNS  how many were unread

local count = 0
if not entries[1] then
  count = redis.call('SCARD', unread)
  redis.call('UNLINK', unread)
end
for _, entry in ipairs(entries) do count = count + redis.call('SREM', unread, entry) end
if count > 0 then redis.call('PUBLISH', 'chat', 'b ' .. uid) end
return count
