-- Sync one quote, or its absence, to the quoted status: its list of quotes and its count.
--
-- KEYS     status           statuses.status(quoted)
--          quotes           statuses.quotes.quotes(quoted)
--          detached         statuses.quotes.detached_quotes(quoted)
--          changed_counts   statuses.live_counts.changed_counts(quoted)
-- ARGV     quoted      id of the quoted status
--          quote_id
--          author      uid of the quote's author
--          exists      1 if the quote exists, 0 if it is gone
--          is_public   1 if everybody may see the quote
--          due         when open pages learn of another count, unix ms; '' for never
-- RETURNS  how many quotes there are; -1 if the quoted status is gone
-- FENCED

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
set_count(status, 'quotes', count, changed_counts, quoted, due)
return count
