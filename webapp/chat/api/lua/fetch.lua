-- Purpose: fetch what a member has not fetched yet of a chat, and note that they have (after Redis in Action, 6.5).
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = partition  3 = uid  4 = how many at most  5 = 1 to note it
-- Returns: {} for who does not belong to it, else {fields of the chat, members, up to which id, {id, message, reactions} each}
-- Errors: none   Writes: fetched; messages that all have fetched
-- include chat/lua/includes/trim_history.lua
local cid, partition, uid, most, note = unpack(ARGV)
if not belongs(uid) then return {} end
local start = math.max(tonumber(redis.call('ZSCORE', fetched, uid)), number('first') - 1)
local upto = math.min(number('last'), start + tonumber(most))
local found = read(range(start + 1, upto))
local reply = {redis.call('HGETALL', chat), redis.call('ZCARD', members), upto, found}
if note == '1' and upto > start then
  redis.call('ZADD', fetched, 'GT', upto, uid)
  collect(cid, partition)
end
return reply
