-- Purpose: tell those who look at a chat what one of its members does right now.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = uid  3 = t (writes) or p (is here)
-- Returns: 1   Errors: NOTINCHAT   Writes: nothing
-- include chat/lua/includes/chat_context.lua
if not belongs(ARGV[2]) then return refuse('NOTINCHAT') end
nudge(ARGV[3], ARGV[1], ARGV[2])
return 1
