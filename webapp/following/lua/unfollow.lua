-- Purpose: unfollow a member, or take back the request to.
-- KEYS: 1 = keys.following  2 = keys.home  3 = keys.outbox  4 = keys.active  5 = keys.requested
-- ARGV: 1 = uid  2 = uid to unfollow  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when they were neither followed nor asked   Errors: OVERLOADED   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua
local following, home, outbox, active, requested = unpack(KEYS)
local uid, target, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', following, target) and not redis.call('ZSCORE', requested, target) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
end_request(requested, outbox, uid, target, partition, rid)
end_follow(following, home, outbox, active, uid, target, partition, rid)
return 1
