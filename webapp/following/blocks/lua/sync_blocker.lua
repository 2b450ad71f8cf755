-- Purpose: bring a member's list of blockers up to what a blocker's own list says; a follow of the blocker, or a
--   request for one, ends with it.
-- KEYS: 1 = keys.fences  2 = keys.blockers  3 = keys.user  4 = keys.following  5 = keys.home  6 = keys.outbox
--       7 = keys.active  8 = keys.requested   (of the blocked member)
-- ARGV: 1 = source  2 = token  3 = the blocker's uid  4 = when they blocked, unix ms, or '' when they do not  5 = uid
--       6 = partition  7 = rid
-- Returns: 1; -1 when the blocked account is deleted   Errors: LEASELOST   Writes: KEYS 1, 2, 4 to 8
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua
local fences, blockers, user, following, home, outbox, active, requested = unpack(KEYS)
local source, token, blocker, at, uid, partition, rid = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
if at == '' then
  redis.call('ZREM', blockers, blocker)
  return 1
end
if redis.call('HEXISTS', user, 'login') == 0 then return -1 end
redis.call('ZADD', blockers, at, blocker)
-- However many events wait: refused here, the event that asks for it might wait for itself.
end_follow(following, home, outbox, active, uid, blocker, partition, rid)
end_request(requested, outbox, uid, blocker, partition, rid)
return 1
