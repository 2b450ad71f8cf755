-- Purpose: note how far a member has read a chat, which only grows.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = partition  3 = uid  4 = message id  5 = 1 to tell nobody
-- Returns: how far they have read   Errors: NOTINCHAT   Writes: seen; messages that all have fetched
-- include chat/lua/includes/trim_history.lua
local cid, partition, uid, id, quiet = unpack(ARGV)
if not belongs(uid) then return refuse('NOTINCHAT') end
local upto = math.min(tonumber(id), number('last'))
if redis.call('ZADD', seen, 'GT', 'CH', upto, uid) == 1 and quiet ~= '1' then nudge('s', cid, uid, id_text(upto)) end
collect(cid, partition)
return tonumber(redis.call('ZSCORE', seen, uid))
