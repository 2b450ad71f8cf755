-- Sync one member's like or boost of a status from the member's own list to the status's list, and
-- the status's count with it.
--
-- KEYS     fences          hash
--          status
--          members         zset: uids who like it, or who boost it
--          changed_counts  zset: status id -> unix ms
-- ARGV     source          of the fence
--          token           of the fence
--          uid             who likes or boosts
--          score           of the member's own list; '' if it is not on it
--          field           of the status that holds the count
--          id              of the status
--          due             when open pages learn of another count, unix ms; '' for never
-- RETURNS  the count; -1 if the status is gone
-- ERRORS   LEASELOST
-- WRITES   all keys
-- include core/events/lua/includes/fence.lua
-- include core/store/lua/includes/scores.lua
-- include statuses/live_counts/lua/includes/set_count.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
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
