-- Sync one quote, or its absence, to the quoted status: its list of quotes and its count.
--
-- KEYS     fences          hash
--          status          the quoted status
--          quotes          zset: id:author -> id
--          detached        zset: quote id -> unix ms
--          changed_counts  zset: status id -> unix ms
-- ARGV     source          of the fence
--          token           of the fence
--          quote_id
--          author          uid of the quote's author
--          exists          1 if the quote exists, 0 if it is gone
--          is_public       1 if everybody may see the quote
--          id              of the quoted status
--          due             when open pages learn of another count, unix ms; '' for never
-- RETURNS  how many quotes there are; -1 if the quoted status is gone
-- ERRORS   LEASELOST
-- WRITES   all keys
-- include core/events/lua/includes/fence.lua
-- include statuses/live_counts/lua/includes/set_count.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('UNLINK', quotes, detached)
  return -1
end

local entry = quote_id .. ':' .. author
if exists == '0' then redis.call('ZREM', detached, quote_id) end
if exists == '1' and is_public == '1' then
  redis.call('ZADD', quotes, quote_id, entry)
else
  redis.call('ZREM', quotes, entry)
end
local count = redis.call('ZCARD', quotes)
set_count(status, 'quotes', count, changed_counts, id, due)
return count
