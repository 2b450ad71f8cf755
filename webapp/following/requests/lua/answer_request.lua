-- Answer a request to follow, once. The worker tells the requester's own list.
--
-- KEYS     requests    zset: uid -> unix ms
--          outbox      stream
-- ARGV     uid         who answers
--          requester
--          accepted    1 to accept, 0 to refuse
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if there is no such request
-- ERRORS   OVERLOADED
-- WRITES   requests, outbox
-- include core/events/lua/includes/emit.lua

if not redis.call('ZSCORE', requests, requester) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', requests, requester)
local event_type = accepted == '1' and 'accepted' or 'refused'
emit(outbox, partition, 'type', event_type, 'rid', request_id, 'uid', uid, 'target', requester)
return 1
