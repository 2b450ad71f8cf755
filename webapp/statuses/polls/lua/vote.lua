-- Purpose: vote in a poll, once and for good, and tell the worker. At VOTED_MAX what is older than any poll lasts is forgotten.
-- KEYS: 1 = keys.voted  2 = keys.acted  3 = keys.outbox  4 = keys.user  5 = keys.blocks  6 = keys.blockers   (of who votes)
-- ARGV: 1 = uid  2 = id of the status  3 = its author's uid  4 = its poll, JSON  5 = its visibility, '' for public  6 = the
--       options that are chosen, bits  7 = VOTED_MAX  8 = how long a poll lasts at most, ms  9 = partition  10 = OUTBOX_MAX
--       11 = rid
-- Returns: 1, or 0 when they have voted so already
-- Errors: NOMEMBER, SUSPENDED, VOTED, CANNOTVOTE, POLLENDED, OVERLOADED, VOTEDFULL   Writes: KEYS 1 to 3
-- include core/store/lua/includes/ids.lua
-- include accounts/lua/includes/require_active.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/interactions/lua/includes/record_interaction.lua
-- include statuses/polls/lua/includes/poll_end.lua
local voted, acted, outbox, user, blocks, blockers = unpack(KEYS)
local uid, id, author, poll, vis, bits, most, longest, partition, max, rid = unpack(ARGV)
local refusal = barred(user, uid)
if refusal then return refusal end
local before = redis.call('HGET', voted, id)
if before then return before == bits and 0 or redis.error_reply('VOTED ' .. id) end
local apart = redis.call('ZSCORE', blocks, author) or redis.call('ZSCORE', blockers, author)
if apart then return redis.error_reply('CANNOTVOTE ' .. author) end
local now = now_ms()
if now >= tonumber(ends_at(id, poll)) then return redis.error_reply('POLLENDED ' .. id) end
refusal = behind(outbox, max)
if refusal then return refusal end
if redis.call('HLEN', voted) >= tonumber(most) then
  for _, other in ipairs(redis.call('HKEYS', voted)) do
    if created_ms(other) + tonumber(longest) < now then redis.call('HDEL', voted, other) end
  end
  if redis.call('HLEN', voted) >= tonumber(most) then return redis.error_reply('VOTEDFULL ' .. most) end
end
redis.call('HSETNX', voted, id, bits)
note_act(acted, id)
local event = {'type', 'voted', 'rid', rid, 'uid', uid, 'id', id, 'author', author}
if vis ~= '' then add(event, 'vis', vis) end
emit(outbox, partition, unpack(event))
return 1
