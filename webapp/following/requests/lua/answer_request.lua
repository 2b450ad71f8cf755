-- Answer a request to follow, once. The worker tells the requester's own list.
--
-- KEYS     requests   following.follow_requests(uid)
-- ARGV     uid         who answers
--          requester
--          accepted    1 to accept, 0 to refuse
-- RETURNS  1, or 0 if there is no such request
-- EMITS    accepted, refused

if not redis.call('ZSCORE', requests, requester) then return 0 end
refuse_when_behind()

redis.call('ZREM', requests, requester)
local event_type = accepted == '1' and 'accepted' or 'refused'
emit(event_type, 'uid', uid, 'target', requester)
return 1
