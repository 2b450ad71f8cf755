-- Purpose: bring what hangs below a status up to whether a reply is there; the status says how many answer it.
-- KEYS: 1 = keys.fences  2 = keys.status  3 = keys.thread  4 = keys.replies   (of the status above)  5 = keys.user (its author's)
-- ARGV: 1 = source  2 = token  3 = the way to the reply (keys.thread)  4 = its id where it answers this very status, else ''
--       5 = 1 when the reply is there, 0 when it is gone  6 = how visible the reply is, as in `vis`
-- Returns: how many replies there are now; -1 when the status is gone   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
-- include statuses/threads/lua/includes/reply_count.lua
local fences, status, thread, replies, user = unpack(KEYS)
local source, token, way, id, there, vis = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('UNLINK', thread, replies)
  return -1
end
if there == '1' then redis.call('ZADD', thread, 0, way) else redis.call('ZREM', thread, way) end
-- The number is shown to all who see the status, so it is of replies that are for all of them. What is for followers is
-- that only while its author is protected.
local rank = {f = 1, m = 2}
local own, above = rank[vis] or 0, rank[redis.call('HGET', status, 'vis')] or 0
local counted = own <= above and id or own == 1 and '-' .. id
if id ~= '' then
  if there == '1' and counted then redis.call('ZADD', replies, counted, id) else redis.call('ZREM', replies, id) end
end
return count_replies(status, replies, user)
