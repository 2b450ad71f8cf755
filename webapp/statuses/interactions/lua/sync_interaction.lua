-- Sync one member's like or boost of a status from the member's own list to the status's list, and
-- the status's count with it.
--
-- KEYS     status           statuses.status(id)
--          members          zset: uids who like it, or who boost it
--          changed_counts   statuses.live_counts.changed_counts(id)
-- ARGV     uid     who likes or boosts
--          score   of the member's own list; '' if it is not on it
--          field   of the status that holds the count
--          due     when open pages learn of another count, unix ms; '' for never
-- RETURNS  the count; -1 if the status is gone
-- FENCED

if redis.call('HEXISTS', status, 'author') == 0 then
  redis.call('ZREM', members, uid)
  return -1
end

if score == '' then
  redis.call('ZREM', members, uid)
elseif not redis.call('ZSCORE', members, uid) then
  redis.call('ZADD', members, next_score(members, tonumber(score)), uid)
end
local count = redis.call('ZCARD', members)
set_count(status, field, count, changed_counts, id, due)
return count
