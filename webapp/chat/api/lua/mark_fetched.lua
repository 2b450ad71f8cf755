-- Purpose: note that a member has fetched a chat up to a message.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = partition  3 = uid  4 = message id
-- Returns: 1, or 0 for who does not belong to it   Errors: none   Writes: fetched; messages that all have fetched
-- include chat/lua/includes/trim_history.lua
local cid, partition, uid, id = unpack(ARGV)
if not belongs(uid) then return 0 end
redis.call('ZADD', fetched, 'GT', math.min(tonumber(id), number('last')), uid)
collect(cid, partition)
return 1
