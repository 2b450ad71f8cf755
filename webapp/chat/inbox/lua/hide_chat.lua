-- Purpose: take a chat off a member's list, until they write in it.
-- KEYS: 1 = keys.member_chats  2 = keys.chat_marks   ARGV: 1 = uid  2 = cid
-- Returns: 1   Errors: NOCHAT   Writes: all keys
local uid, cid = unpack(ARGV)
if redis.call('ZREM', KEYS[1], cid) == 0 then return redis.error_reply('NOCHAT ' .. cid) end
for _, mark in ipairs({'last:', 'read:', 'muted:', 'archived:', 'waiting:'}) do redis.call('HDEL', KEYS[2], mark .. cid) end
redis.call('PUBLISH', 'chat', 'b ' .. uid)
return 1
