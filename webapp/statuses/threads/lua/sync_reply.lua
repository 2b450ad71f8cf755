-- Sync one reply, or its absence, to a status above it: the status's thread, its list of replies
-- and its count.
--
-- KEYS     status           statuses.status(above)
--          thread           statuses.threads.thread(above)
--          replies          statuses.threads.replies(above)
--          author           accounts.user(author)
--          changed_counts   statuses.live_counts.changed_counts(above)
-- ARGV     above        id of the status above
--          path         from the status above down to the reply
--          id           of the reply if it answers this very status, or ''
--          exists       1 if the reply exists, 0 if it is gone
--          visibility   effective visibility of the reply
--          due          when open pages learn of another count, unix ms; '' for never
-- RETURNS  how many replies there are; -1 if the status above is gone
-- FENCED

if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('UNLINK', thread, replies)
  return -1
end

if exists == '1' then
  redis.call('ZADD', thread, 0, path)
else
  redis.call('ZREM', thread, path)
end

-- Everybody who sees the status sees the count, so it only counts replies that all of them may
-- see. Replies for followers get a negative rank, see update_reply_count.
local narrowness = {f = 1, m = 2, g = 3}
local own = narrowness[visibility] or 0
local above_narrowness = narrowness[redis.call('HGET', status, 'visibility')] or 0
local rank
if own <= above_narrowness then
  rank = id
elseif own == 1 then
  rank = '-' .. id
end
if id ~= '' then
  if exists == '1' and rank then
    redis.call('ZADD', replies, rank, id)
  else
    redis.call('ZREM', replies, id)
  end
end
return update_reply_count(status, replies, author, changed_counts, above, due)
