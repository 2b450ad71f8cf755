-- Vote in a poll, once and for good, and emit `voted`. At the limit, votes in polls that have
-- certainly ended are forgotten.
--
-- KEYS     votes      statuses.polls.member_votes(uid)
-- ARGV     id            of the status
--          author        uid of its author
--          poll          its poll, JSON
--          visibility    its visibility, '' for public
--          group         the group it was posted to, 0 for none
--          bits          chosen options
--          limit         config.voted_max   most votes of one member
--          duration_ms   the longest that a poll lasts
-- RETURNS  1, or 0 if the member has voted so already
-- ERRORS   NOMEMBER, SUSPENDED, VOTED, CANNOTVOTE, POLLENDED, VOTEDFULL
-- EMITS    voted

require_active()
local earlier_bits = redis.call('HGET', votes, id)
if earlier_bits == bits then return 0 end
if earlier_bits then refuse('VOTED', id) end
require_no_block('CANNOTVOTE', author)
local now = now_ms()
if now >= tonumber(poll_end(id, poll)) then refuse('POLLENDED', id) end
refuse_when_behind()

if redis.call('HLEN', votes) >= tonumber(limit) then
  for _, other in ipairs(redis.call('HKEYS', votes)) do
    if created_ms(other) + tonumber(duration_ms) < now then redis.call('HDEL', votes, other) end
  end
  if redis.call('HLEN', votes) >= tonumber(limit) then refuse('VOTEDFULL', limit) end
end
redis.call('HSETNX', votes, id, bits)
record_interaction(id)
local event = {'uid', uid, 'id', id, 'author', author}
if visibility ~= '' then add(event, 'visibility', visibility) end
if group ~= '0' then add(event, 'group', group) end
emit('voted', unpack(event))
return 1
