-- Purpose: end a request to follow: as a follow where it is granted, unless it was taken back or one may not follow any more.
-- KEYS: 1 = keys.fences  2 = keys.requested  3 = keys.following  4 = keys.outbox  5 = keys.user  6 = keys.blocks
--       7 = keys.blockers   (of who asked)
-- ARGV: 1 = source  2 = token  3 = uid  4 = who was asked  5 = 1 when it is granted  6 = FOLLOWING_MAX  7 = partition  8 = rid
-- Returns: 1, or 0 when there was no request   Errors: LEASELOST   Writes: KEYS 1 to 4
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/request_follow.lua
local fences, requested, following, outbox, user, blocks, blockers = unpack(KEYS)
local source, token, uid, target, granted, most, partition, rid = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if not redis.call('ZSCORE', requested, target) then return 0 end
local member = redis.call('HMGET', user, 'login', 'suspended')
local apart = redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target)
local full = redis.call('ZCARD', following) >= tonumber(most)
local may = member[1] and not member[2] and not apart and not full and not redis.call('ZSCORE', following, target)
-- However many events wait: refused here, the event that asks for it might wait for itself.
if granted == '1' and may then begin_follow(following, requested, outbox, uid, target, partition, rid)
else end_request(requested, outbox, uid, target, partition, rid) end
return 1
