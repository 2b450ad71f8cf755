-- Purpose: bring a status's list of quotes up to whether a quote is there; the status says how many there are. A quote that
-- is gone need not be detached any more.
-- KEYS: 1 = keys.fences  2 = keys.status  3 = keys.quotes  4 = keys.detached   (of what is quoted)
-- ARGV: 1 = source  2 = token  3 = the quote's id  4 = its author's uid  5 = 1 when the quote is there, 0 when it is gone
--       6 = 1 where everybody may see it
-- Returns: how many quotes there are now; -1 when the status is gone   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
local fences, status, quotes, detached = unpack(KEYS)
local source, token, id, author, there, for_all = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('UNLINK', quotes, detached)
  return -1
end
local entry = id .. ':' .. author
if there == '0' then redis.call('ZREM', detached, id) end
if there == '1' and for_all == '1' then redis.call('ZADD', quotes, id, entry) else redis.call('ZREM', quotes, entry) end
local count = redis.call('ZCARD', quotes)
if count > 0 then redis.call('HSET', status, 'quotes', count) else redis.call('HDEL', status, 'quotes') end
return count
