-- Purpose: change what a member's list says of a chat. How far they have read only grows.
-- KEYS: 1 = keys.member_chats  2 = keys.chat_marks   ARGV: 1 = uid  2 = cid  3 = read, muted, archived or waiting  4 = value, '' for none
-- Returns: 1, or 0 when that is so already   Errors: NOCHAT   Writes: KEYS[2]
local uid, cid, mark, value = unpack(ARGV)
if mark ~= 'read' and not redis.call('ZSCORE', KEYS[1], cid) then return redis.error_reply('NOCHAT ' .. cid) end
local name = mark .. ':' .. cid
local before = redis.call('HGET', KEYS[2], name) or ''
if mark == 'archived' and value ~= '' then value = redis.call('HGET', KEYS[2], 'last:' .. cid) or '0' end
if before == value or mark == 'read' and tonumber(before ~= '' and before or 0) >= tonumber(value) then return 0 end
if value == '' then redis.call('HDEL', KEYS[2], name) else redis.call('HSET', KEYS[2], name, value) end
redis.call('PUBLISH', 'chat', 'b ' .. uid)
return 1
