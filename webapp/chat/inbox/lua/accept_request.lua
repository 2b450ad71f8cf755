-- Purpose: accept a direct chat that the other one began.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = uid
-- Returns: 1   Errors: NOCHAT, NOTINCHAT   Writes: chat
-- include chat/lua/includes/chat_context.lua
if not field('kind') then return refuse('NOCHAT') end
if not belongs(ARGV[2]) then return refuse('NOTINCHAT') end
if field('by') ~= ARGV[2] then redis.call('HSET', chat, 'answered', 1) end
return 1
